"""How the embedded model is made, `make tiny`: its tokenizer, its eyes, then its language."""
