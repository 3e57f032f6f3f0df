"""Answers with steps and rewards on the whole answer, beside direct answers."""
