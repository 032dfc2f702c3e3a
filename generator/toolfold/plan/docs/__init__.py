"""The documentation: what each page, picture and index says, decided and escaped."""
