"""A project and its jobs as files in a private folder, and the policy while it is edited."""
