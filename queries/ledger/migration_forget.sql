-- Forgets a migration that was killed half-way (MySQL commits its statements one by one), so that it runs again.
-- Wants no index: there are few.
DELETE FROM msgrecon_migrations
WHERE success = 0
