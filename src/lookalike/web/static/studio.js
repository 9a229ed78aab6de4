// Warn if a part of the page that is polled does not get an answer any more.
for (const event of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(event, () => {
    document.getElementById("stale").hidden = false;
  });
}
document.addEventListener("htmx:afterOnLoad", () => {
  document.getElementById("stale").hidden = true;
});
