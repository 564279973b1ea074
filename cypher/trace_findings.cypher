// What sentences state of what was asked: those that say the first answer, and those that say another value.
// Parameters: question (id), rows (stance: BACKED_BY or OPPOSED_BY, document: id, cites and properties). Columns: none.
UNWIND $rows AS row
MATCH (:HydraQuestion {id: $question})-[:ANSWERED]->(a:HydraAnswer {i: 1})
MATCH (d:HydraDocument {id: row.document})
CREATE (a)-[:$(row.stance)]->(f:HydraFinding)
SET f = row.properties
CREATE (f)-[s:SAID_IN]->(d)
SET s = row.cites
