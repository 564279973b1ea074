"""A place in an object store (S3 and compatible services, Google Cloud Storage), accessed with obstore."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import NoStoreError, StoreError, UsageError
from hydra_kg.stores.common.refusals import replaced_meanwhile_error

try:
    import obstore
    from obstore import exceptions as refusals
    from obstore.store import from_url
except ImportError as e:
    raise UsageError("Object stores need one more package.", remedy="pip install 'hydra-kg[s3]'") from e

_RETRIES: Final = 3
_PATIENCE: Final = timedelta(seconds=30)
_REQUEST: Final = timedelta(seconds=60)
_CHUNK: Final = 16 << 20
_PIECE: Final = 4 << 20
_KEYS: Final = tuple(
    (
        "AWS_ACCESS_KEY_ID AWS_WEB_IDENTITY_TOKEN_FILE AWS_CONTAINER_CREDENTIALS_RELATIVE_URI "
        "AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_METADATA_ENDPOINT"
    ).split()
)
"""Settings that say where keys are. Without any of them the bucket counts as public and is read unsigned.

Otherwise obstore would ask a cloud's metadata service for keys.
"""

_GOOGLE: Final = tuple(
    (
        "GOOGLE_SERVICE_ACCOUNT GOOGLE_SERVICE_ACCOUNT_PATH GOOGLE_SERVICE_ACCOUNT_KEY GOOGLE_APPLICATION_CREDENTIALS"
    ).split()
)
_DEFAULT: Final = Path("~/.config/gcloud/application_default_credentials.json")

_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


class Bucket:
    """See :class:`hydra_kg.stores.published.publication_places.PublicationPlace`.

    Keys and endpoints come from the environment: AWS_…, GOOGLE_…. ``http://`` is spoken only with an endpoint that is
    named so there.
    """

    def __init__(self, address: str) -> None:
        endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), "")
        config: Any = {}
        if address.startswith("s3://"):
            config = {"endpoint": endpoint} if endpoint else {}
            config |= {} if any(os.environ.get(name) for name in _KEYS) else {"skip_signature": True}
        elif not any(map(os.environ.get, _GOOGLE)) and not _DEFAULT.expanduser().is_file():
            config = {"skip_signature": True}
        options: Any = {
            "allow_http": endpoint.startswith("http://"),
            "connect_timeout": timedelta(seconds=10),
            "timeout": _REQUEST,
        }
        retries: Any = {"max_retries": _RETRIES, "retry_timeout": _PATIENCE}
        self._said = address
        with self._errors(""):
            self._store: Any = from_url(
                address.rstrip("/"), config=config, client_options=options, retry_config=retries
            )

    def read(self, name: str, *, limit: int) -> tuple[bytes, str]:
        with self._errors(name):
            got = obstore.get(self._store, name)
            if got.meta["size"] > limit:
                raise StoreError(f"{self._said}/{name} is longer than {limit:,} bytes.")
            tag = {name: got.meta[name] for name in ("e_tag", "version") if got.meta[name]}
            return bytes(got.bytes()), json.dumps(tag)

    def head(self, name: str) -> tuple[int, str]:
        """Return the length and tag of a file. Raise NoStoreError."""
        with self._errors(name):
            meta = obstore.head(self._store, name)
            return int(meta["size"]), str(meta["e_tag"] or "")

    def block(self, name: str, start: int, end: int) -> bytes:
        if end <= start:
            return b""
        with self._errors(name):
            return bytes(obstore.get_range(self._store, name, start=start, end=end))

    def blocks(self, name: str, start: int, end: int) -> Iterator[bytes]:
        with self._errors(name):
            got = obstore.get(self._store, name, options={"range": (start, end)})
            yield from map(bytes, got.stream(min_chunk_size=_PIECE))

    def sizes(self, prefix: str) -> dict[str, int]:
        with self._errors(prefix):
            return {one["path"]: one["size"] for some in obstore.list(self._store, prefix) for one in some}

    def put(self, name: str, file: Path) -> None:
        with self._errors(name):
            obstore.put(self._store, name, file, chunk_size=_CHUNK, max_concurrency=4)

    def swap(self, name: str, data: bytes, tag: str) -> None:
        with self._errors(name):
            try:
                obstore.put(self._store, name, data, mode=json.loads(tag) if tag else "create")
            except (refusals.PreconditionError, refusals.AlreadyExistsError):
                raise replaced_meanwhile_error(name) from None

    def remove(self, name: str) -> None:
        with self._errors(name):
            obstore.delete(self._store, name)

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """Translate errors of the object store into errors of hydra-kg."""
        where = f"{self._said}/{name}" if name else self._said
        try:
            yield
        except (refusals.NotFoundError, FileNotFoundError):
            raise NoStoreError(f"There is no {where}.") from None
        except (refusals.PermissionDeniedError, refusals.UnauthenticatedError):
            remedy = "Give keys in the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or GOOGLE_…."
            raise StoreError(f"{where} refused access.", remedy=remedy) from None
        except (refusals.BaseError, OSError, ValueError) as e:
            words = " ".join(str(e).partition("Debug source")[0].split())[:300]
            raise StoreError(f"{where}: {words}", remedy="Is it reachable, and its address right?") from e
