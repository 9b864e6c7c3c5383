"""IN: text or objects of one system into the model, and back where it makes sense. Dialects never import each other."""
