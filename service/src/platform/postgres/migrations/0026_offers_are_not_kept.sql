-- What a browser is offered follows from the verification: its keys are with the verification's own, and go with them.
drop table dc_api_offers;
