-- Takes over rows from another ledger.
INSERT INTO /*:table*/ (/*:columns*/)
VALUES /*:rows*/
