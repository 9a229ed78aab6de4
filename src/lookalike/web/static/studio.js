// A part of the page that is asked for again and again, and no longer answered: say so.
for (const event of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(event, () => {
    document.getElementById("stale").hidden = false;
  });
}
document.addEventListener("htmx:afterOnLoad", () => {
  document.getElementById("stale").hidden = true;
});
