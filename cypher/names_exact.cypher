// Names that are equal once folded.
// Parameters: folds, loads. Columns: fold, load, node, kind, text.
MATCH (x:HydraName) USING INDEX x:HydraName(fold) WHERE x.fold IN $folds AND x.load IN $loads
RETURN x.fold AS fold, x.load AS load, x.node AS node, x.kind AS kind, x.text AS text
