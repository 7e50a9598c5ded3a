// Search while typing, live parts, and keys. Every page works without this file.
"use strict";

const field = document.getElementById("q");

// `/` goes to the search field, unless the reader is typing.
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key === "/" && !isTyping && field && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});

// Replaces one part of the page by the same part of another page.
async function replacePart(id, url, signal) {
  const response = await fetch(url, { signal, headers: { accept: "text/html" } });
  if (!response.ok) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [fresh, shown] = [page.getElementById(id), document.getElementById(id)];
  if (!fresh || !shown) return false;
  shown.replaceWith(fresh);
  document.title = page.title;
  return true;
}

// On the search page, results follow the words after a short pause.
if (field && document.getElementById("results")) {
  let timer, request;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      request?.abort();
      request = new AbortController();
      const url = new URL(location.href);
      url.searchParams.set("q", field.value);
      url.searchParams.delete("cursor");
      // The answer to a question comes with the finished words.
      const typed = new URL(url);
      typed.searchParams.set("typed", "1");
      try {
        if (await replacePart("results", typed, request.signal)) history.replaceState(null, "", url);
      } catch (error) {
        if (error.name !== "AbortError") throw error;
      }
    }, 220);
  });
}

// Live parts follow the events of the server. The browser connects again by itself.
const live = document.getElementById("live");
if (live) {
  let isBusy = false, isStale = false;
  const follow = async () => {
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    while (isStale) {
      isStale = false;
      await replacePart("live", location.href).catch(() => false);
    }
    isBusy = false;
  };
  new EventSource(live.dataset.events).addEventListener("changed", follow);
}
