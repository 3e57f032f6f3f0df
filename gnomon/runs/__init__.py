"""Runs of a recipe: their directories, exams, files of answers, and readers of pictures."""
