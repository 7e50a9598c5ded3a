//! The shapes of tokens and of keys that their issuers document.

/// Triggers and patterns of tokens with a known prefix, by issuer.
pub(super) const ISSUED_TOKENS: &[(&str, &str)] = &[
    ("A[KS]IA|ABIA|ACCA", "(?:A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}"), // AWS access key ids
    ("gh[opsur]_", "gh[opsur]_[A-Za-z0-9]{36,}"),               // GitHub
    ("github_pat_", "github_pat_[A-Za-z0-9_]{22,}"),            // GitHub, fine-grained
    (
        "gl(?:pat|[drf]t|cbt|ptt|soat|agent|imt|oas|ffct)-",
        "gl(?:pat|[drf]t|cbt|ptt|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{20,}",
    ), // GitLab
    ("xox[abeoprs]-|xapp-", "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"), // Slack
    ("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}"), // Slack, web hooks
    ("[rs]k_(?:live|test)_", "[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"), // Stripe
    ("whsec_", "whsec_[A-Za-z0-9+/]{24,}"),                     // Stripe, web hooks
    ("AIza", "AIza[A-Za-z0-9_-]{35}"),                          // Google API
    ("GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{28}"),                    // Google OAuth client
    (r"ya29\.", r"ya29\.[A-Za-z0-9_-]{20,}"),                   // Google OAuth access
    ("npm_", "npm_[A-Za-z0-9]{36}"),                            // npm
    ("pypi-", "pypi-[A-Za-z0-9_-]{32,}"),                       // PyPI
    ("dckr_pat_", "dckr_pat_[A-Za-z0-9_-]{20,}"),               // Docker Hub
    ("do[opr]_v1_", "do[opr]_v1_[a-f0-9]{64}"),                 // DigitalOcean
    ("shp(?:at|ca|pa|ss)_", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"), // Shopify
    ("hf_", "hf_[A-Za-z0-9]{34,64}"),                           // Hugging Face
    ("hv[bsr]\\.", r"hv[bsr]\.[A-Za-z0-9_-]{24,}"),             // Vault
    (r"SG\.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),     // SendGrid
    ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{58}"),       // age
    ("sk-(?:ant|proj|or|svcacct|admin)-", "sk-(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{20,}"), // model providers
    ("sk-[A-Za-z0-9]{8}", "sk-[A-Za-z0-9]{32,}"),               // model providers, older
    ("ATATT3", "ATATT3[A-Za-z0-9_=-]{50,}"),                    // Atlassian
    ("glsa_", "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),           // Grafana, service accounts
    ("PMAK-", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),                // Postman
    ("rubygems_[a-f0-9]", "rubygems_[a-f0-9]{48}"),             // RubyGems
    ("dapi[a-f0-9]{8}", "dapi[a-f0-9]{32}(?:-[0-9])?"),         // Databricks
    (r"dp\.(?:pt|st|ct|sa|scim|audit)\.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"), // Doppler
    ("NRAK-", "NRAK-[A-Z0-9]{27}"),                   // New Relic
    ("r8_[A-Za-z0-9]{8}", "r8_[A-Za-z0-9]{37}"),      // Replicate
    ("gsk_[A-Za-z0-9]{8}", "gsk_[A-Za-z0-9]{52}"),    // Groq
    ("sntrys_", "sntrys_[A-Za-z0-9+/=_-]{60,}"),      // Sentry, organisations
    ("sntryu_", "sntryu_[a-f0-9]{64}"),               // Sentry, users
    ("lin_api_", "lin_api_[A-Za-z0-9]{40}"),          // Linear
    ("figd_", "figd_[A-Za-z0-9_-]{40,}"),             // Figma
    ("ntn_[0-9]{8}", "ntn_[0-9]{11}[A-Za-z0-9]{35}"), // Notion
    ("pscale_(?:tkn|pw|oauth)_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}"), // PlanetScale
    (r"dt0[a-z][0-9]{2}\.", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"), // Dynatrace
    ("sq0(?:csp|atp)-", "sq0(?:csp-[A-Za-z0-9_-]{43}|atp-[A-Za-z0-9_-]{22})"), // Square
    ("sbp_[a-f0-9]{8}", "sbp_[a-f0-9]{40}"),          // Supabase
    ("pul-[a-f0-9]{8}", "pul-[a-f0-9]{40}"),          // Pulumi
    ("nfp_[A-Za-z0-9]{8}", "nfp_[A-Za-z0-9]{36}"),    // Netlify
    (r"\.atlasv1\.[A-Za-z0-9_=-]{20}", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"), // HashiCorp
    ("tskey-", "tskey-(?:[a-z]{2,16}-)?[A-Za-z0-9]{6,32}-[A-Za-z0-9]{16,64}"), // Tailscale
    (
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]",
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80}",
    ), // Discord, web hooks
    ("xai-[A-Za-z0-9]{8}", "xai-[A-Za-z0-9]{70,}"),   // xAI
    ("pplx-[A-Za-z0-9]{8}", "pplx-[A-Za-z0-9]{48,}"), // Perplexity
    ("CCIP(?:AT|RJ)_", "CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"), // CircleCI
    ("bkua_[a-f0-9]{8}", "bkua_[a-f0-9]{40}"),        // Buildkite
    ("glc_eyJ|glc_[A-Za-z0-9+/]{32}", "glc_[A-Za-z0-9+/]{32,}={0,2}"), // Grafana Cloud
    ("xkeysib-", "xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"), // Brevo
    ("CFPAT-", "CFPAT-[A-Za-z0-9_-]{43}"),            // Contentful
    ("dckr_oat_", "dckr_oat_[A-Za-z0-9_-]{20,}"),     // Docker, organisations
    ("ATBB[A-Za-z0-9]{24}", "ATBB[A-Za-z0-9]{24}[A-F0-9]{8}"), // Bitbucket, app passwords
    ("ATCTT3", "ATCTT3[A-Za-z0-9_=-]{50,}"),          // Bitbucket, access tokens
    ("GR1348941", "GR1348941[A-Za-z0-9_-]{20}"),      // GitLab, registration of runners
    ("fo1_[A-Za-z0-9_-]{16}", "fo1_[A-Za-z0-9_-]{43}"), // Fly, organisations
    ("fm(?:1[ar]|2)_[A-Za-z0-9+/]{16}", "fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}"), // Fly, behind `FlyV1`
    (r"sk\.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"), // Mapbox
    ("EZ[AT]K[A-Za-z0-9]{16}", "EZ[AT]K[A-Za-z0-9]{54}"), // EasyPost
    (
        r"(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9/+]{5}[AQgw]==",
        r"[A-Za-z0-9/+]{76}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9/+]{5}[AQgw]==",
    ), // Azure, keys of 64 bytes
    (
        r"(?:AIoT|AzCa|\+(?:ASb|AEh|ARm))[A-P][A-Za-z0-9/+]{5}=",
        r"[A-Za-z0-9/+]{33}(?:AIoT|AzCa|\+(?:ASb|AEh|ARm))[A-P][A-Za-z0-9/+]{5}=",
    ), // Azure, keys of 32 bytes
    ("AzFu[A-Za-z0-9_-]{5}[AQgw]==", "[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]=="), // Azure, keys of functions
    (
        r"AzSe[A-D][A-Za-z0-9]{5}|\+ACR[A-D][A-Za-z0-9/+]{5}",
        r"[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}|[A-Za-z0-9/+]{42}\+ACR[A-D][A-Za-z0-9/+]{5}",
    ), // Azure, keys of search and of registries
    (
        r"\.webhook\.office\.com/webhookb2/",
        r"[A-Za-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@-]{20,}/IncomingWebhook/[a-f0-9]{32}/[A-Za-z0-9/_-]{20,}",
    ), // Teams, web hooks
    ("ops_eyJ", "ops_eyJ[A-Za-z0-9+/=_-]{100,}"),     // 1Password, service accounts
    ("aio_[A-Za-z0-9]{8}", "aio_[A-Za-z0-9]{28}"),    // Adafruit
    ("AKCp", "AKCp[A-Za-z0-9]{69}"),                  // JFrog, keys
    ("cmVmdGtu", "cmVmdGtuOj[A-Za-z0-9]{54}"),        // JFrog, reference tokens
    ("CLOJARS_", "CLOJARS_[a-z0-9]{60}"),             // Clojars
    (r"v1\.0-[a-f0-9]{8}", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"), // Cloudflare, origin keys
    ("duffel_(?:test|live)_", "duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"), // Duffel
    ("FLWSECK", "FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}-X"), // Flutterwave
    ("fio-u-", "fio-u-[A-Za-z0-9_=-]{64}"),           // Frame.io
    ("HRKU-AA", "HRKU-AA[A-Za-z0-9_-]{58}"),          // Heroku
    ("NRII-", "NRII-[A-Za-z0-9_-]{32}"),              // New Relic, insert keys
    ("API-[A-Z0-9]{4}", "API-[A-Z0-9]{26}"),          // Octopus Deploy
    ("sha256~", "sha256~[A-Za-z0-9_-]{43}"),          // OpenShift
    ("pnu_", "pnu_[A-Za-z0-9]{36}"),                  // Prefect
    ("rdme_", "rdme_[a-z0-9]{70}"),                   // ReadMe
    ("tk-us-", "tk-us-[A-Za-z0-9_-]{48}"),            // Scalingo
    ("shippo_(?:live|test)_", "shippo_(?:live|test)_[a-f0-9]{40}"), // Shippo
    ("sq[apu]_[a-f0-9]", "sq[apu]_[a-f0-9]{40}"),     // SonarQube
    ("sgp_[a-z0-9]", "sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"), // Sourcegraph
    ("tfp_", "tfp_[A-Za-z0-9_.=-]{59}"),              // Typeform
    ("sb_secret_", "sb_secret_[A-Za-z0-9_-]{31}"),    // Supabase, secret keys
    ("lsv2_[ps]", "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"), // LangSmith
    ("sk-lf-", "sk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"), // Langfuse
    ("pcsk_", "pcsk_[A-Za-z0-9_]{60,}"),              // Pinecone
    ("tgp_v1_", "tgp_v1_[A-Za-z0-9_-]{43}"),          // Together
    ("nvapi-", "nvapi-[A-Za-z0-9_-]{60,}"),           // NVIDIA
    ("tvly-", "tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}"), // Tavily
    ("apify_api_", "apify_api_[A-Za-z0-9]{36}"),      // Apify
    ("[78]Q~", r"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"), // Entra, client secrets
    ("ATTA[a-f0-9]", "ATTA[a-f0-9]{64}[A-F0-9]{8}"),  // Trello
    ("oy2[a-z0-9]{4}", "oy2[a-z0-9]{43}"),            // NuGet
    ("ABSK", "ABSK[A-Za-z0-9+/]{100,}={0,2}"),        // Amazon Bedrock
    ("pat-[en][ua][0-9]-", "pat-[en][ua][0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"), // HubSpot
    (
        "access-(?:sandbox|development|production)-",
        "access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    ), // Plaid
    (r"access_token\$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"), // Braintree
    (r"amzn\.mws\.", r"amzn\.mws\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"), // Amazon Marketplace
    ("EAA[MC]", "EAA[MC][A-Za-z0-9]{100,}"),          // Facebook
    (r"sl\.(?:u\.)?[A-Za-z0-9_-]{8}", r"sl\.(?:u\.)?[A-Za-z0-9_-]{130,}"), // Dropbox
    (r"hooks\.zapier\.com", r"hooks\.zapier\.com/hooks/catch/[0-9]{5,}/[a-z0-9]{6,}"), // Zapier, web hooks
    ("secret_[A-Za-z0-9]{8}", "secret_[A-Za-z0-9]{43}"), // Notion, older
    ("eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"), // JSON web tokens
];

/// Triggers and patterns of tokens that a digest in a longer name resembles: no letter, digit, hyphen or underscore stands before them.
pub(super) const SEPARATE_TOKENS: [(&str, &str); 2] = [
    ("-us[0-9]", "[a-f0-9]{32}-us[0-9]{1,2}"), // Mailchimp
    ("key-[a-f0-9]{8}", "key-[a-f0-9]{32}"),   // Mailgun
];

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    const HEX: &str = "7e1f9c04b83da256";
    const CAPITAL_HEX: &str = "7E1F9C04B83DA256";
    const ALPHANUMERIC: &str = "q8ZtLr2VxN4mWc7KpJ5sT9hBvR4sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx";
    const ID: &str = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";

    fn of(alphabet: &str, n_chars: usize) -> String {
        alphabet.chars().cycle().take(n_chars).collect()
    }

    #[test]
    fn tokens_of_more_issuers_are_masked_whole() {
        let tokens = [
            format!("xai-{}", of(ALPHANUMERIC, 80)),
            format!("pplx-{}", of(ALPHANUMERIC, 48)),
            format!("CCIPAT_{}_{}", of(ALPHANUMERIC, 22), of(HEX, 40)),
            format!("bkua_{}", of(HEX, 40)),
            format!("glc_{}==", of(ALPHANUMERIC, 120)),
            format!("xkeysib-{}-{}", of(HEX, 64), of(ALPHANUMERIC, 16)),
            format!("CFPAT-{}", of(ALPHANUMERIC, 43)),
            format!("dckr_oat_{}", of(ALPHANUMERIC, 32)),
            format!("ATBB{}{}", of(ALPHANUMERIC, 24), of(CAPITAL_HEX, 8)),
            format!("ATCTT3xFfG{}", of(ALPHANUMERIC, 170)),
            format!("GR1348941{}", of(ALPHANUMERIC, 20)),
            format!("fo1_{}", of(ALPHANUMERIC, 43)),
            format!("fm2_{}=", of(ALPHANUMERIC, 200)),
            format!("sk.eyJ1Ijoi{}.{}", of(ALPHANUMERIC, 60), of(ALPHANUMERIC, 22)),
            format!("EZAK{}", of(ALPHANUMERIC, 54)),
            format!("{}+ASt{}Q==", of(ALPHANUMERIC, 76), of(ALPHANUMERIC, 5)),
            format!("{}ACDb{}A==", of(ALPHANUMERIC, 76), of(ALPHANUMERIC, 5)),
            format!("{}AzCaB{}=", of(ALPHANUMERIC, 33), of(ALPHANUMERIC, 5)),
            format!("{}AzFu{}g==", of(ALPHANUMERIC, 44), of(ALPHANUMERIC, 5)),
            format!("{}AzSeA{}", of(ALPHANUMERIC, 42), of(ALPHANUMERIC, 5)),
            format!(
                "hooks.slack.com/workflows/T{}/A{}/{}",
                of(ALPHANUMERIC, 10),
                of(ALPHANUMERIC, 10),
                of(ALPHANUMERIC, 24)
            ),
            format!("ops_eyJ{}", of(ALPHANUMERIC, 250)),
            format!("aio_{}", of(ALPHANUMERIC, 28)),
            format!("AKCp{}", of(ALPHANUMERIC, 69)),
            format!("cmVmdGtuOj{}", of(ALPHANUMERIC, 54)),
            format!("CLOJARS_{}", of(HEX, 60)),
            format!("v1.0-{}-{}", of(HEX, 24), of(HEX, 146)),
            format!("duffel_live_{}", of(ALPHANUMERIC, 43)),
            format!("FLWSECK_TEST-{}-X", of(HEX, 32)),
            format!("fio-u-{}", of(ALPHANUMERIC, 64)),
            format!("HRKU-AA{}", of(ALPHANUMERIC, 58)),
            format!("NRII-{}", of(ALPHANUMERIC, 32)),
            format!("API-{}", of(CAPITAL_HEX, 26)),
            format!("sha256~{}", of(ALPHANUMERIC, 43)),
            format!("pnu_{}", of(ALPHANUMERIC, 36)),
            format!("rdme_{}", of(HEX, 70)),
            format!("tk-us-{}", of(ALPHANUMERIC, 48)),
            format!("shippo_test_{}", of(HEX, 40)),
            format!("squ_{}", of(HEX, 40)),
            format!("sgp_{}_{}", of(HEX, 16), of(HEX, 40)),
            format!("tfp_{}", of(ALPHANUMERIC, 59)),
            format!("sb_secret_{}", of(ALPHANUMERIC, 31)),
            format!("lsv2_pt_{}_{}", of(HEX, 32), of(HEX, 10)),
            format!("sk-lf-{ID}"),
            format!("pcsk_{}", of(ALPHANUMERIC, 70)),
            format!("tgp_v1_{}", of(ALPHANUMERIC, 43)),
            format!("nvapi-{}", of(ALPHANUMERIC, 64)),
            format!("tvly-dev-{}", of(ALPHANUMERIC, 32)),
            format!("apify_api_{}", of(ALPHANUMERIC, 36)),
            format!("q8Z8Q~{}", of(ALPHANUMERIC, 34)),
            format!("ATTA{}{}", of(HEX, 64), of(CAPITAL_HEX, 8)),
            format!("oy2{}", of(HEX, 43)),
            format!("ABSK{}==", of(ALPHANUMERIC, 120)),
            format!("pat-na1-{ID}"),
            format!("{}-us14", of(HEX, 32)),
            format!("key-{}", of(HEX, 32)),
            format!("access-production-{ID}"),
            format!("access_token$production${}${}", of(HEX, 16), of(HEX, 32)),
            format!("amzn.mws.{ID}"),
            format!("EAAC{}", of(ALPHANUMERIC, 150)),
            format!("sl.u.{}", of(ALPHANUMERIC, 140)),
            format!("hooks.zapier.com/hooks/catch/1234567/{}", of(HEX, 7)),
            format!("secret_{}", of(ALPHANUMERIC, 43)),
            format!("acme.webhook.office.com/webhookb2/{ID}@{ID}/IncomingWebhook/{}/{ID}", of(HEX, 32)),
        ];
        for token in tokens {
            let line = format!("connect(\"{token}\", 3)");
            assert_eq!(mask_secrets(&line), "connect(\"[masked]\", 3)", "{line}");
            let short = line.replace(&token, &token[..12]);
            assert_eq!(mask_secrets(&short), short);
        }
    }

    #[test]
    fn words_and_digests_with_the_same_beginnings_are_kept() {
        for line in [
            "xai-grok-4-fast-reasoning",
            "pplx-70b-online-pplx-7b-chat",
            "glc_context_create(GLC_COMPAT)",
            "GR1348941 is the prefix of a registration token",
            "fm2_synthesis_of_a_bell",
            "<a href=\"https://acme.webhook.office.com/webhookb2/\">",
            "see hooks.slack.com/workflows/ID",
            "see hooks.zapier.com/hooks/catch/{account}/{hook}",
            "sha256~ and [78]Q~ and sl.patching_of_long_words_in_a_line",
            "path/to/patterns.abcdef and API-REFERENCE-AND-GUIDES",
            "cache-key-7e1f9c04b83da2567e1f9c04b83da256 and cache_key-7e1f9c04b83da2567e1f9c04b83da256",
            "image-7e1f9c04b83da2567e1f9c04b83da256-us1 and v_7e1f9c04b83da2567e1f9c04b83da256-us2",
            "key-0123456789abcdef in region 1b-us1 or access-production-ready",
            "the image of cluster-4f5a-us2",
            "fetch(secret_key_of_the_application_service)",
            "v1.0-deadbeef is a build",
            "integrity sha512-q8ZtLr2VxN4mWc7KpJ5sq8ZtLr2VxN4mWc7KpJ5sq8ZtLr2VxN4mWc7KpJ5sq8ZtLr2VxN4mWc7KpJ5sZQ==",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
