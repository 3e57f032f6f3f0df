"""The numeric vocabulary of a tokenizer, and the reader of numbers in labels."""
