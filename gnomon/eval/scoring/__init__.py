"""Read and score answers, and summarize the scores of each type of answer."""
