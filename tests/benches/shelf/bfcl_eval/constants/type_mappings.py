GORILLA_TO_OPENAPI = {"dict": "object", "integer": "integer", "string": "string"}
