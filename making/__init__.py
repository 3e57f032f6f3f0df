"""How the embedded model is made: its tokenizer, its eyes, its language; `make tiny` runs it all."""
