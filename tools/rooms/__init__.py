"""The rooms of a target, and what each stands on."""
