//! Tests of the documentation: command lines, configurations, links, contents and sizes of every page, and of `deploy/`.

mod commands;
mod configurations;
mod contents;
mod deployment;
mod links;
mod markdown;
mod pages;
