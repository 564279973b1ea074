"""Middleware that simplifies a request which an endpoint refuses, and remembers what the endpoint accepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hydra_kg.domain import Completion
from hydra_kg.models.request import Failed, Form, Request, Send, Style


class EndpointDialect:
    """Negotiation of the form of replies and of optional parameters. Thread-safe.

    The forms are tried in the order ``json_schema``, ``json_object``, plain text.
    """

    def __init__(self) -> None:
        self.style = Style()
        self._accepted: set[Form] = set()

    def around(self, inner: Send) -> Callable[[Request], Completion]:
        """Return the middleware.

        It is placed outside of the budget, so that each attempt counts.
        """

        def send(request: Request) -> Completion:
            style = self.style
            while True:
                try:
                    reply = inner(replace(request, style=style))
                except Failed as e:
                    softer = self._softer(style, e.refused, request) if e.refused else None
                    if softer is None:
                        raise
                    style = softer
                else:
                    self._learn(style, request)
                    return reply

        return send

    def _softer(self, style: Style, refusal: str, request: Request) -> Style | None:
        return style.softer(
            refusal,
            schema=request.schema is not None,
            logprobs=request.logprobs > 0,
            proven=style.form in self._accepted,
        )

    def _learn(self, style: Style, request: Request) -> None:
        if request.schema is None or self.style.form in self._accepted:
            # A form that was never refused stays; one refused for a single schema was not refused for all.
            style = replace(style, form=self.style.form)
        else:
            self._accepted.add(style.form)
        self.style = style
