//! Which files are infrastructure, and of what kind.

/// A way to say how things are built, tested, deployed or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InfraKind {
    Dockerfile,
    Compose,
    Kubernetes,
    HelmChart,
    HelmValues,
    Terraform,
    GithubWorkflow,
    GithubAction,
    GitlabPipeline,
    OtherPipeline,
    Jenkinsfile,
    Makefile,
    CmakeLists,
    Justfile,
    Procfile,
    Vagrantfile,
}

impl InfraKind {
    /// Returns the kind of a file whose path tells; nothing for most.
    pub fn of_path(path: &str) -> Option<InfraKind> {
        use InfraKind::*;
        let lower = path.to_ascii_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_yaml = matches!(extension, "yml" | "yaml");
        if name.starts_with("dockerfile") || name.starts_with("containerfile") || extension == "dockerfile" {
            return Some(Dockerfile);
        }
        if is_yaml && (stem.starts_with("docker-compose") || stem == "compose" || stem.starts_with("compose.")) {
            return Some(Compose);
        }
        if is_yaml && (folder == ".github/workflows" || folder.ends_with("/.github/workflows")) {
            return Some(GithubWorkflow);
        }
        match name {
            "chart.yaml" => Some(HelmChart),
            "action.yml" | "action.yaml" => Some(GithubAction),
            ".gitlab-ci.yml" => Some(GitlabPipeline),
            ".travis.yml"
            | "azure-pipelines.yml"
            | "appveyor.yml"
            | ".appveyor.yml"
            | ".cirrus.yml"
            | ".drone.yml"
            | "cloudbuild.yaml"
            | "bitbucket-pipelines.yml"
            | "buildspec.yml" => Some(OtherPipeline),
            "config.yml" if folder.ends_with(".circleci") => Some(OtherPipeline),
            "jenkinsfile" => Some(Jenkinsfile),
            "makefile" | "gnumakefile" | "makefile.am" => Some(Makefile),
            "cmakelists.txt" => Some(CmakeLists),
            "justfile" => Some(Justfile),
            "procfile" => Some(Procfile),
            "vagrantfile" => Some(Vagrantfile),
            _ if matches!(extension, "tf" | "tfvars" | "hcl") => Some(Terraform),
            _ if extension == "mk" => Some(Makefile),
            _ => None,
        }
    }

    /// Says whether the kind of a file hangs on its text: YAML is used for anything.
    pub fn is_told_by_text(path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        matches!(extension, "yml" | "yaml") && InfraKind::of_path(path).is_none()
    }

    /// Returns the kind of a file of YAML by its text.
    pub fn of_text(path: &str, text: &str) -> Option<InfraKind> {
        let has = |key: &str| text.lines().any(|line| line.starts_with(key));
        let name = path.rsplit('/').next().unwrap_or(path);
        if has("apiVersion:") && has("kind:") {
            Some(InfraKind::Kubernetes)
        } else if name.starts_with("values") && path.contains("chart") {
            Some(InfraKind::HelmValues)
        } else {
            None
        }
    }

    /// Returns what people call it.
    pub fn name(self) -> &'static str {
        match self {
            InfraKind::Dockerfile => "Dockerfile",
            InfraKind::Compose => "Docker Compose",
            InfraKind::Kubernetes => "Kubernetes manifest",
            InfraKind::HelmChart => "Helm chart",
            InfraKind::HelmValues => "Helm values",
            InfraKind::Terraform => "Terraform",
            InfraKind::GithubWorkflow => "GitHub Actions workflow",
            InfraKind::GithubAction => "GitHub Action",
            InfraKind::GitlabPipeline => "GitLab CI pipeline",
            InfraKind::OtherPipeline => "CI pipeline",
            InfraKind::Jenkinsfile => "Jenkins pipeline",
            InfraKind::Makefile => "Makefile",
            InfraKind::CmakeLists => "CMake build",
            InfraKind::Justfile => "Justfile",
            InfraKind::Procfile => "Procfile",
            InfraKind::Vagrantfile => "Vagrantfile",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_texts_tell_the_kind() {
        use InfraKind::*;
        for (path, text, expected) in [
            ("Dockerfile", "", Some(Dockerfile)),
            ("deploy/Dockerfile.dev", "", Some(Dockerfile)),
            ("api.dockerfile", "", Some(Dockerfile)),
            ("docker-compose.prod.yml", "", Some(Compose)),
            (".github/workflows/ci.yaml", "", Some(GithubWorkflow)),
            (".github/dependabot.yml", "version: 2", None),
            (".gitlab-ci.yml", "", Some(GitlabPipeline)),
            ("deploy/api.yaml", "apiVersion: v1\nkind: Service\n", Some(Kubernetes)),
            ("charts/api/templates/api.yaml", "{{ if .x }}\napiVersion: v1\nkind: Service\n", Some(Kubernetes)),
            ("charts/api/values.yaml", "image: x", Some(HelmValues)),
            ("main.tf", "", Some(Terraform)),
            ("src/Makefile", "", Some(Makefile)),
            ("config.yml", "a: b", None),
            ("src/docker.py", "", None),
        ] {
            let kind = InfraKind::of_path(path);
            let told = if InfraKind::is_told_by_text(path) { InfraKind::of_text(path, text) } else { None };
            assert_eq!(kind.or(told), expected, "{path}");
        }
    }
}
