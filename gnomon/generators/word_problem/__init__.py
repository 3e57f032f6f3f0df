"""Word problems of two to eight steps, with the working and a final answer."""

from gnomon.generators.word_problem.generator import WordProblem as WordProblem
