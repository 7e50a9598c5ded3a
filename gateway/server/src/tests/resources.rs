//! Listing and reading MCP resources.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::time::Instant;

use super::{FakeRepository, api, gateway, healthy_worker, web};
use crate::{Gateway, resources};
use federation::call::CallContext;
use federation::principal::Principal;

async fn read(gateway: &Gateway, principal: &Principal, uri: &str) -> Option<String> {
    resources::read(&gateway.core, principal, uri, None).await.map(|content| content.text)
}

#[tokio::test(start_paused = true)]
async fn listed_resources_can_be_read() {
    let odd = FakeRepository { alias: "acme/ship it@w2", id: 9, ..web() };
    let gateway = gateway(vec![healthy_worker("w", vec![api(), odd])]).await;
    let principal = Principal::local();
    let call = CallContext::new(&gateway.core.toolbox.federation, &principal, Instant::now());
    let (listed, next) = resources::page(&call, None).unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(
        uris,
        ["causeway://repos", "causeway://repos/acme%2Fship%20it%40w2/overview", "causeway://repos/api/overview"]
    );
    assert_eq!(next, None);
    for (uri, expected) in uris.iter().zip(["\"repositories\":[", "# `acme/ship it@w2`", "# api"]) {
        let text = read(&gateway, &principal, uri).await.expect("it can be read");
        assert!(text.contains(expected), "{uri}: {text}");
    }
    let list: Value = serde_json::from_str(&read(&gateway, &principal, uris[0]).await.unwrap()).unwrap();
    assert_eq!(list["repositories"].as_array().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn forbidden_resources_do_not_exist() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    let caller = Principal::limited("ui", ["api".to_owned()]);
    let call = CallContext::new(&gateway.core.toolbox.federation, &caller, Instant::now());
    let (listed, _) = resources::page(&call, None).unwrap();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let list = read(&gateway, &caller, "causeway://repos").await.unwrap();
    assert!(list.contains("\"api\"") && !list.contains("\"web\""), "{list}");
    for uri in [
        "causeway://repos/web/overview",
        "causeway://repos/none/overview",
        "causeway://repos/all/overview",
        "causeway://repos/api,web/overview",
        "causeway://repos/api/overview/x",
        "causeway://repos/%ff/overview",
        "causeway://repos/",
        "causeway://reposapi/overview",
        "file:///etc/passwd",
        "",
    ] {
        assert_eq!(read(&gateway, &caller, uri).await, None, "{uri}");
    }
    assert!(read(&gateway, &caller, "causeway://repos/api/overview").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn long_lists_are_paginated() {
    let repository =
        |n: u8| FakeRepository { alias: format!("repository-{n:03}").leak(), id: n, generation: 1, ..api() };
    let gateway = gateway(vec![healthy_worker("w", (0..250).map(repository).collect())]).await;
    let (local, other) = (Principal::local(), Principal::limited("ci", ["*".to_owned()]));
    let call = CallContext::new(&gateway.core.toolbox.federation, &local, Instant::now());
    let (mut cursor, mut uris, mut n_pages) = (None, BTreeSet::new(), 0);
    loop {
        let (page, next) = resources::page(&call, cursor.as_deref()).unwrap();
        assert!(!page.is_empty() && page.len() <= 100);
        uris.extend(page.into_iter().map(|resource| resource.uri));
        n_pages += 1;
        cursor = next;
        if cursor.is_none() {
            break;
        }
        let others = CallContext::new(&gateway.core.toolbox.federation, &other, Instant::now());
        assert!(resources::page(&others, cursor.as_deref()).is_err(), "a cursor is its caller's");
    }
    assert_eq!((uris.len(), n_pages), (251, 3));
    assert!(resources::page(&call, Some("nonsense")).is_err());
}
