-- The tables of the schema `base`, copied.
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'base' LOOP
        EXECUTE format('CREATE TABLE public.%I (LIKE base.%I INCLUDING ALL)', name, name);
        EXECUTE format('INSERT INTO public.%I SELECT * FROM base.%I', name, name);
    END LOOP;
END $$
