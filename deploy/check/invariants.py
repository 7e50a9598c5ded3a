"""Invariants between the objects of one rendering.

Each check takes a `Cluster` and yields one line per problem. Schemas validate single objects; these checks compare several.
`test_check.py` has a broken manifest for each check.
"""

from __future__ import annotations

import availability
import hardening
import labels
import network
import ports
import reading
import trust

CHECKS = [
    labels.workloads_select_their_pods,
    labels.everything_selects_something,
    labels.spread_is_over_own_pods,
    labels.scalers_and_sets_name_what_there_is,
    ports.services_lead_to_ports,
    ports.programs_listen_where_ports_are_declared,
    ports.configured_workers_are_the_service,
    ports.probes_ask_what_is_served,
    ports.monitors_scrape_what_is_served,
    reading.references_exist,
    reading.configured_files_are_mounted,
    reading.configured_models_are_mounted,
    reading.what_is_written_to_is_writable,
    reading.running_workers_see_a_changed_listing,
    hardening.images_are_pinned,
    hardening.pods_are_restricted,
    hardening.pods_have_no_token,
    hardening.resources_are_bounded,
    hardening.namespace_enforces,
    availability.drain_fits_into_the_grace_period,
    availability.budgets_let_nodes_be_emptied,
    availability.rolling_keeps_serving,
    availability.gateways_alone_are_scaled,
    availability.placement_names_the_workers,
    availability.workers_keep_their_volumes,
    availability.service_of_workers_lists_the_ready,
    network.nothing_passes_unless_allowed,
    network.needed_flows_pass,
    network.services_of_others_are_reached,
    network.policies_name_ports,
    network.routes_lead_to_the_gateway,
    trust.tls_is_on_everywhere_or_nowhere,
    trust.certificates_name_the_workers,
    trust.grant_key_is_the_same,
]
