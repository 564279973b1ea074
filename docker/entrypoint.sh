#!/bin/sh
# The password of the Neo4j beside us is a secret in a file (neo4j/PASSWORD), not an argument.
set -eu
if [ -z "${NEO4J_PASSWORD:-}" ] && [ -r /run/secrets/neo4j_auth ]; then
    NEO4J_PASSWORD=$(cut -d/ -f2- /run/secrets/neo4j_auth)
    export NEO4J_PASSWORD
fi
exec hydra-kg "$@"
