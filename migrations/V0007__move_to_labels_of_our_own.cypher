// Nodes that earlier versions wrote under labels that anybody may use get the labels that only ours have. What is ours
// is told by what only we write: the properties of a kind, all of them, or what links it to a kept answer. Each batch
// leaves nothing half done, and who was interrupted goes on with what is left.

// Kept answers, from their leaves: each is found by a neighbour that still has its old label.
MATCH (n:Mention) WHERE n.id IS NOT NULL AND n.key IS NOT NULL
  AND EXISTS { (n)<-[:FROM|VIA|HOP|USED|IS|ABOUT|SAYS_1|SAYS_2|SAYS_3|SAYS_4|SAYS_5]-(:Path|Question|Answer|Claim) }
CALL (n) { SET n:HydraMention REMOVE n:Mention } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Document) WHERE EXISTS { (n)<-[:CITES|USED]-(:Path|Question) }
CALL (n) { SET n:HydraDocument REMOVE n:Document } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Source) WHERE EXISTS { (n)<-[:CITES]-(:Path) } OR EXISTS { MATCH (n)<-[:STATES]-(l:Load) WHERE l.beat IS NOT NULL }
CALL (n) { SET n:HydraSource REMOVE n:Source } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Claim) WHERE EXISTS { (n)<-[:HEARD]-(:Exploration) }
CALL (n) {
  SET n:HydraClaim REMOVE n:Claim
  WITH n UNWIND [label IN labels(n) WHERE label STARTS WITH 'Voice'] AS voice
  SET n:$('Hydra' + voice) REMOVE n:$(voice)
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Path) WHERE n.id IS NOT NULL AND EXISTS { (n)<-[:FOUND|BECAUSE]-(:Exploration|Answer) }
CALL (n) {
  SET n:HydraPath REMOVE n:Path
  FOREACH (pruned IN CASE WHEN n:Pruned THEN [1] ELSE [] END | SET n:HydraPruned REMOVE n:Pruned)
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Exploration) WHERE EXISTS { (n)<-[:RAN]-(:Question) }
CALL (n) { SET n:HydraExploration REMOVE n:Exploration } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Answer) WHERE EXISTS { (n)<-[:ANSWERED]-(:Question) }
CALL (n) { SET n:HydraAnswer REMOVE n:Answer } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Question) WHERE EXISTS { MATCH (k:KeptAnswer {id: n.id}) WHERE k.doc IS NOT NULL }
CALL (n) { SET n:HydraQuestion REMOVE n:Question } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:KeptAnswer) WHERE n.id IS NOT NULL AND n.doc IS NOT NULL
CALL (n) { SET n:HydraKeptAnswer REMOVE n:KeptAnswer } IN TRANSACTIONS OF 1000 ROWS;

// Loads, and what each of them brings.
MATCH (n:Value)
WHERE n.load IS NOT NULL AND n.row IS NOT NULL AND n.subject IS NOT NULL AND n.p IS NOT NULL AND n.fid IS NOT NULL
CALL (n) { SET n:HydraValue REMOVE n:Value } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Name) WHERE n.load IS NOT NULL AND n.node IS NOT NULL AND n.kind IS NOT NULL AND n.fame IS NOT NULL
CALL (n) { SET n:HydraName REMOVE n:Name } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Word) WHERE n.load IS NOT NULL AND n.text IS NOT NULL AND n.count IS NOT NULL
CALL (n) { SET n:HydraWord REMOVE n:Word } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:PassageWord) WHERE n.load IS NOT NULL AND n.text IS NOT NULL AND n.count IS NOT NULL
CALL (n) { SET n:HydraPassageWord REMOVE n:PassageWord } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Passage) WHERE n.load IS NOT NULL AND n.n IS NOT NULL AND n.node IS NOT NULL AND n.line IS NOT NULL
CALL (n) { SET n:HydraPassage REMOVE n:Passage } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Predicate) WHERE n.load IS NOT NULL AND n.id IS NOT NULL AND n.count IS NOT NULL
CALL (n) { SET n:HydraPredicate REMOVE n:Predicate } IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:LoadFile) WHERE n.load IS NOT NULL AND n.n IS NOT NULL AND n.name IS NOT NULL
CALL (n) { SET n:HydraLoadFile REMOVE n:LoadFile } IN TRANSACTIONS OF 100 ROWS;
MATCH (n:LoadChunk) WHERE n.load IS NOT NULL AND n.n IS NOT NULL AND n.check IS NOT NULL
CALL (n) { SET n:HydraLoadChunk REMOVE n:LoadChunk } IN TRANSACTIONS OF 1000 ROWS;
MATCH (n:ClassChunk) WHERE n.generation IS NOT NULL AND n.member IS NOT NULL AND n.representative IS NOT NULL
CALL (n) { SET n:HydraClassChunk REMOVE n:ClassChunk } IN TRANSACTIONS OF 1000 ROWS;
MATCH (n:Entity) WHERE n.id IS :: INTEGER NOT NULL AND n.parts IS NOT NULL
CALL (n) {
  SET n:HydraEntity REMOVE n:Entity
  FOREACH (mediator IN CASE WHEN n:Mediator THEN [1] ELSE [] END | SET n:HydraMediator REMOVE n:Mediator)
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (n:Load) WHERE n.id IS NOT NULL AND n.name IS NOT NULL AND n.state IS NOT NULL AND n.beat IS NOT NULL
CALL (n) { SET n:HydraLoad REMOVE n:Load } IN TRANSACTIONS OF 1000 ROWS;

// The schema on the old labels, which bound what others keep too.
DROP CONSTRAINT entity_id IF EXISTS;
DROP CONSTRAINT mediator_id IF EXISTS;
DROP CONSTRAINT source_name IF EXISTS;
DROP CONSTRAINT load_id IF EXISTS;
DROP CONSTRAINT load_chunk IF EXISTS;
DROP CONSTRAINT question_id IF EXISTS;
DROP CONSTRAINT exploration_id IF EXISTS;
DROP CONSTRAINT path_id IF EXISTS;
DROP CONSTRAINT answer_id IF EXISTS;
DROP CONSTRAINT mention_id IF EXISTS;
DROP CONSTRAINT document_id IF EXISTS;
DROP CONSTRAINT kept_answer_id IF EXISTS;
DROP INDEX entity_key IF EXISTS;
DROP INDEX entity_cls IF EXISTS;
DROP INDEX entity_names IF EXISTS;
DROP INDEX question_created IF EXISTS;
DROP INDEX used_source IF EXISTS;
DROP INDEX used_fact IF EXISTS;
DROP INDEX load_state IF EXISTS;
DROP INDEX load_file IF EXISTS;
DROP INDEX class_chunk IF EXISTS;
DROP INDEX predicate_load IF EXISTS;
DROP INDEX name_fold IF EXISTS;
DROP INDEX name_node IF EXISTS;
DROP INDEX name_load IF EXISTS;
DROP INDEX word_load IF EXISTS;
DROP INDEX value_subject IF EXISTS;
DROP INDEX value_row IF EXISTS;
DROP INDEX passage_node IF EXISTS;
DROP INDEX passage_place IF EXISTS;
DROP INDEX passage_word IF EXISTS;
DROP INDEX name_words IF EXISTS;
DROP INDEX passage_words IF EXISTS;
