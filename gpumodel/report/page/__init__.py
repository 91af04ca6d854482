"""``gpureplay report``: one document of data (:mod:`.document`), and a page made from it (:mod:`.render`)."""
