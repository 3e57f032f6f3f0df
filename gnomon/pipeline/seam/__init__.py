"""Where gnomon leans on the insides of transformers and TRL."""
