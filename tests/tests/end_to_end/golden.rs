//! The ten best hits of forty searches in the example organisation, so that a ranking change is a readable diff.
//!
//! The snapshot has the current results, not the ideal ones. After an intended change, read the diff and accept it:
//! `INSTA_UPDATE=always cargo test -p causeway-tests golden::`.

use std::fmt::Write as _;

use causeway_tests::{answer::text, federation::Federation, organisation};
use serde_json::{Value, json};

/// Number of hits per search.
const TOP: usize = 10;

const QUERIES: [(&str, &str); 40] = [
    ("question", "how is a request tried again when the service is down"),
    ("question", "what happens to a subscriber that reads too slowly"),
    ("question", "where is the price of a parcel worked out"),
    ("question", "which message does a recipient get when the ferry leaves"),
    ("question", "why can a form be sent twice by accident"),
    ("question", "how does a late event not turn the status back"),
    ("question", "who checks that a code has no typing mistake"),
    ("question", "what does the page say when a parcel is unknown"),
    ("words", "validate weight and harbours before registering"),
    ("words", "mail relay login"),
    ("words, and a language", "retry written in typescript"),
    ("words", "growing delays with jitter"),
    ("identifier", "parseParcelCode"),
    ("identifier, in snake case", "parse_parcel_code"),
    ("identifier, in words", "parse parcel code"),
    ("identifier, in capitals", "PARSEPARCELCODE"),
    ("identifier, in kebab case", "tracking-client"),
    ("identifier of several repositories", "TrackingClient"),
    ("identifier of several repositories", "checkDigit"),
    ("identifier with its type", "Store.Subscribe"),
    ("identifier with its namespace", "tracking.v1.ParcelStatus"),
    ("constant", "FREIGHT_CENTS_PER_KILOGRAM"),
    ("path", "src/notify_worker/retry.py"),
    ("path, the end of it", "httpapi/routes.go"),
    ("path, the name alone", "client.ts"),
    ("route", "POST /api/v1/parcels"),
    ("typo", "recipent contact adress"),
    ("typo in an identifier", "formatParcleCode"),
    ("tests", "test that a wrong check digit is refused"),
    ("tests", "unit tests of the retry delays"),
    ("configuration", "environment variable for the mail password"),
    ("configuration", "package.json dependencies"),
    ("infrastructure", "makefile target that generates the gRPC stubs"),
    ("documentation", "documentation of the HTTP API errors"),
    ("documentation", "at least once delivery"),
    ("another language", "Wo wird die Prüfziffer berechnet"),
    ("nonsense", "purple bicycle quantum sandwich"),
    ("nonsense beside a word", "quantum zebra photosynthesis recipient"),
    ("long", LONG_ABOUT_REGISTERING),
    ("long", LONG_ABOUT_THE_STREAM),
];

const LONG_ABOUT_REGISTERING: &str = r#"Registering a parcel charges the customer twice after a time-out

Yesterday two customers called because they had paid for the same thing two times. Both of them were on a slow line on the
northern quay, filled in everything, pressed the button, and saw nothing for a while. One of them says that she pressed it once
only. I could not make it happen on my desk until I made the network slow on purpose; then it happens in about one of five tries.

### Steps

1. Open the start page in a private window and go to the page with the form.
2. Fill in a name, two different places and any weight.
3. Make the network slow in the tools of the browser, and press the button.
4. Wait. Nothing is shown for some seconds, then the page moves on as it should.
5. Look into the list of yesterday: there are two of them, with serial numbers that follow each other.

### Environment

- Operating system: Ubuntu 22.04, also seen on a telephone
- Browser: Firefox 126, Chromium 125
- Version: what runs since Monday
- Behind a proxy: yes, the one of the harbour office

### What is printed

```
Error: no answer in time
    at send (/srv/app/dist/assets/index-4f1c.js:41:1822)
    at async submit (/srv/app/dist/assets/index-4f1c.js:44:310)
    at async onClick (/srv/app/dist/assets/index-4f1c.js:52:97)
    at async dispatch (/srv/app/dist/assets/vendor-9a0e.js:9:20411)
```

```
2026-03-11T09:26:53Z INFO  proxy: upstream took 8123 ms
2026-03-11T09:26:53Z WARN  proxy: client went away, sending again
2026-03-11T09:26:54Z INFO  proxy: 201 in 212 ms
2026-03-11T09:26:55Z INFO  proxy: 201 in 9340 ms
```

I searched older reports and found one from the first season that reads the same; it was closed as mended. The documentation says
that this is never sent again, so either the text is wrong or something below repeats it. What I would expect is that the second
one is refused, or that it returns the first. It would already help if the page said that it is still waiting, so that nobody presses
again. Happy to help with a change if somebody tells me where to begin."#;

const LONG_ABOUT_THE_STREAM: &str = r#"Worker stops for good after the tracking service restarts: RESOURCE_EXHAUSTED from StreamEvents

We upgraded the cluster last night, and since then no mails went out until somebody restarted all workers by hand. I expected that
they come back by themselves, since `follow_events` opens the stream again. The log of one of them ends like this:

```
Traceback (most recent call last):
  File "/opt/venv/bin/notify-worker", line 8, in <module>
    sys.exit(main())
  File "/opt/venv/lib/python3.12/site-packages/notify_worker/__main__.py", line 24, in main
    run(TrackingClient(channel), config)
  File "/opt/venv/lib/python3.12/site-packages/notify_worker/__main__.py", line 29, in run
    for code, _status in client.follow_events(config.harbour):
  File "/opt/venv/lib/python3.12/site-packages/grpc/_channel.py", line 543, in __next__
    return self._next()
grpc._channel._MultiThreadedRendezvous: <_MultiThreadedRendezvous of RPC that terminated with:
    status = StatusCode.RESOURCE_EXHAUSTED
    details = "too slow: come back and read on"
```

### Environment

- Operating system: Debian 12, kernel 6.1.0-21-amd64
- Python 3.12.3, grpcio 1.64.0
- Memory: 2 GB, processors: 2
- Twelve workers, all of one harbour

### What I tried

1. Raised the time-out of the calls; nothing changed.
2. Started one worker alone; it runs through.
3. Started all twelve at once; between two and four of them end within a minute.
4. Went back to the version of last month; the same, so it is not new.

```
2026-03-19T09:31:22Z INFO  waiting 0.4 s
2026-03-19T09:31:23Z INFO  waiting 0.9 s
2026-03-19T09:31:25Z INFO  waiting 1.7 s
2026-03-19T09:31:28Z ERROR giving up
```

It looks as if they come back at the same moment and are all too slow together, are cut off together, and run out of attempts
without an event in between. Perhaps the buffer of a subscriber is too small for what arrives right after a restart, or the waits
should be drawn from a wider range. In the meantime a timer starts them again every five minutes, which is ugly, and in between
recipients learn nothing. Please tell me what else would help you to find this; I can try things on the spare cluster all week."#;

#[tokio::test(flavor = "multi_thread")]
async fn ten_best_hits_of_forty_searches() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    let mut shown = String::new();
    for (kind, query) in QUERIES {
        let answer = federation.ask("search_codebase", json!({"query": query, "repo": "all", "limit": TOP})).await;
        let title = query.lines().next().unwrap_or_default();
        writeln!(shown, "{kind}: {title}\n{}", lines(&answer)).expect("in memory");
    }
    insta::assert_snapshot!(shown);
    federation.stop().await;
}

/// Returns one line per hit: rank, relevance, location and definition.
///
/// Relevance has one digit: with more, every weight would change it and hide changes of the order.
fn lines(answer: &Value) -> String {
    let results = answer["results"].as_array().expect("a list of results");
    let line = |(place, result): (usize, &Value)| {
        let relevance = result["relevance_score"].as_f64().expect("a number");
        let symbol = result["symbol_id"].as_str().and_then(|id| id.split_once("::")).map_or("", |(_, name)| name);
        let line =
            format!("{:4} {relevance:4.1}  {}:{}  {symbol}", place + 1, text(&result["repo"]), text(&result["path"]));
        format!("{}\n", line.trim_end())
    };
    if results.is_empty() { "     nothing\n".to_owned() } else { results.iter().enumerate().map(line).collect() }
}
