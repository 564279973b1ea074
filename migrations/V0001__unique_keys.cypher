// What must never be there twice: ids of nodes, names of sources, loads, and the chunks of a load that were committed.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT mediator_id IF NOT EXISTS FOR (n:Mediator) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT source_name IF NOT EXISTS FOR (n:Source) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT load_id IF NOT EXISTS FOR (n:Load) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT load_chunk IF NOT EXISTS FOR (n:LoadChunk) REQUIRE (n.load, n.n) IS UNIQUE;
