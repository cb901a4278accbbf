"""SavedModels: models with their weights, signatures and files in one folder, in TensorFlow's form."""
