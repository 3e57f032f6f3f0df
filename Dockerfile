# gnomon with all that it needs, in a clone's folder, so that `make demo` and `make test` run inside:
#   docker build -t gnomon .                                  # for a CPU
#   docker build -t gnomon --build-arg TORCH=cu130 .          # for a GPU: run it with --gpus all
# TORCH is a folder of https://download.pytorch.org/whl: choose the one for your driver.
FROM python:3.12
ARG TORCH=cpu
# pip prefers 2.13.0+cpu there to the 2.13.0 of the package index.
ENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/${TORCH} \
    PIP_NO_CACHE_DIR=1
RUN useradd --create-home --uid 1000 gnomon && install --directory --owner=gnomon /gnomon
USER 1000
WORKDIR /gnomon
COPY --chown=gnomon . .
RUN make .venv/.ready
ENV PATH=/gnomon/.venv/bin:$PATH
CMD ["gnomon", "--help"]
