"""Documents in, `ApiDoc` out: OpenAPI (2.0, 3.0, 3.1) and Markdown, whatever state they are in."""
