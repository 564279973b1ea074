// The trace of a question: each of its nodes has an id; a question's use of a fact is found by the fact's source.
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (n:Question) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT exploration_id IF NOT EXISTS FOR (n:Exploration) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT path_id IF NOT EXISTS FOR (n:Path) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT answer_id IF NOT EXISTS FOR (n:Answer) REQUIRE n.id IS UNIQUE;
CREATE INDEX used_source IF NOT EXISTS FOR ()-[r:USED]-() ON (r.source);
