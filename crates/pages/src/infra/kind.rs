//! Classifies infrastructure files.

/// The kinds of infrastructure files: how a project is built, tested, deployed or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InfraKind {
    /// A Dockerfile or Containerfile.
    Dockerfile,
    /// A Docker Compose file.
    Compose,
    /// A Kubernetes manifest.
    Kubernetes,
    /// The `Chart.yaml` of a Helm chart.
    HelmChart,
    /// The values of a Helm chart.
    HelmValues,
    /// A Terraform file.
    Terraform,
    /// A GitHub Actions workflow.
    GithubWorkflow,
    /// The definition of a GitHub Action.
    GithubAction,
    /// A GitLab CI pipeline.
    GitlabPipeline,
    /// A pipeline of another CI system.
    OtherPipeline,
    /// A Jenkins pipeline.
    Jenkinsfile,
    /// A makefile.
    Makefile,
    /// A CMake build.
    CmakeLists,
    /// A justfile.
    Justfile,
    /// A Procfile.
    Procfile,
    /// A Vagrantfile.
    Vagrantfile,
}

impl InfraKind {
    /// Returns the kind of a file by its path; `None` for most files.
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

    /// Returns true if the kind of a file depends on its content: YAML is used for many purposes.
    pub fn is_classified_by_text(path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        matches!(extension, "yml" | "yaml") && InfraKind::of_path(path).is_none()
    }

    /// Returns the kind of a YAML file by its content.
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

    /// Returns the common name.
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
    fn kinds_are_classified_by_path_and_content() {
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
            let by_text = if InfraKind::is_classified_by_text(path) { InfraKind::of_text(path, text) } else { None };
            assert_eq!(kind.or(by_text), expected, "{path}");
        }
    }
}
