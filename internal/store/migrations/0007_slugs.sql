-- Two slugs that differ in case alone are not both allowed: paths and branches are made of the lower-case form.
CREATE UNIQUE INDEX project_slug_form ON project (LOWER(slug));
