-- Run once by the postgres image when the volume is empty: the role and the database `leadline`, which is no superuser.
\set password `cat /run/secrets/database_password`
CREATE ROLE leadline LOGIN PASSWORD :'password';
CREATE DATABASE leadline OWNER leadline;
