//! The web pages of the gateway: values in, HTML out.
//!
//! A page is a client of the MCP tools: it reads the same JSON as an agent, so that access rules, coverage and bounds are those of
//! the tools. Its input is that JSON, and the frame with the caller. In reading order: the frame around all pages (`frame`,
//! `asset`), values of answers (`answer`), addresses of pages (`address`), parts of pages (`coverage_notice`, `code`, `treemap`), and
//! the pages in the order of the navigation.
//!
//! The crate deliberately knows neither HTTP nor sessions nor tools. It draws nothing with scripts, and has no inline style or
//! script, so that a strict content security policy holds.

#![warn(missing_docs)]

// The frame and its assets.
pub mod asset;
pub mod frame;

// Values of answers, and addresses of pages.
pub mod address;
pub mod answer;

// Parts of pages.
pub mod code;
mod coverage_notice;
mod person;
mod treemap;

// Pages.
pub mod error_page;
pub mod evidence_page;
pub mod file_page;
pub mod folder_page;
pub mod health_page;
pub mod impact_page;
pub mod map;
pub mod map_page;
pub mod repository_page;
pub mod review_page;
pub mod search_page;
pub mod sign_in_page;
pub mod symbol_page;
pub mod usage_page;
