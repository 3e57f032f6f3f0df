import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))

from contract_cases import CASES, TEXTS, case_name
from toy_vocabularies import VOCABULARIES, labels_of

from gnomon.losses import create


@pytest.fixture(autouse=True)
def one_thread_and_seed():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(params=VOCABULARIES)
def vocab_name(request):
    return request.param


@pytest.fixture(params=CASES, ids=case_name)
def case(request):
    return request.param


@pytest.fixture
def loss(case, vocab_name):
    name, options = case
    return create(name, VOCABULARIES[vocab_name](), **options)


@pytest.fixture
def labels(vocab_name):
    return labels_of(vocab_name, *TEXTS)
