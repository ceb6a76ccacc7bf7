GORILLA_TO_OPENAPI = {"dict": "object", "float": "number", "string": "string"}
