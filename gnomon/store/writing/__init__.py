"""Writing of datasets, by one process or many, with their counts, leaks and cards."""
