//! What `cargo metadata` knows of the workspace: members, their features and examples, and the target folder.

use std::path::PathBuf;

use crate::json::Json;
use crate::step::Context;

/// The workspace as cargo sees it.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    /// Where cargo builds, wherever `CARGO_TARGET_DIR` has put it.
    pub(crate) target: PathBuf,
}

/// One member of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its features without `default`.
    pub(crate) features: Vec<String>,
    pub(crate) examples: Vec<String>,
    /// False for `publish = false`.
    pub(crate) published: bool,
}

impl Workspace {
    /// Asks cargo.
    ///
    /// # Errors
    /// A sentence, when cargo fails or writes something unexpected.
    pub(crate) fn read(context: &Context<'_>) -> Result<Self, String> {
        let mut command = context.cargo(&["metadata", "--no-deps", "--format-version", "1"]);
        Self::from_json(&Json::parse(&context.read(&mut command)?)?)
            .ok_or_else(|| "`cargo metadata` wrote an unexpected shape".to_owned())
    }

    fn from_json(json: &Json) -> Option<Self> {
        let target = PathBuf::from(json.get("target_directory")?.text()?);
        let packages = json.get("packages")?.items().iter().map(Package::from_json).collect::<Option<Vec<_>>>()?;
        Some(Self { packages, target })
    }
}

impl Package {
    fn from_json(json: &Json) -> Option<Self> {
        let is_example = |target: &&Json| {
            target.get("kind").is_some_and(|kinds| kinds.items().iter().any(|kind| kind.text() == Some("example")))
        };
        let targets = json.get("targets")?.items().iter().filter(is_example);
        let features = json.get("features")?.members().iter().map(|(name, _)| name.clone());
        Some(Self {
            name: json.get("name")?.text()?.to_owned(),
            version: json.get("version")?.text()?.to_owned(),
            features: features.filter(|name| name != "default").collect(),
            examples: targets.map(|target| Some(target.get("name")?.text()?.to_owned())).collect::<Option<_>>()?,
            // `null` means everywhere, an empty list nowhere.
            published: json.get("publish") != Some(&Json::List(Vec::new())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_features_and_examples_are_found() {
        let text = r#"{"target_directory": "/t", "packages": [
            {"name": "a", "version": "1.0.0", "publish": null, "features": {"default": [], "x": ["dep:y"]},
             "targets": [{"kind": ["lib"], "name": "a"}, {"kind": ["example"], "name": "tour"}]},
            {"name": "b", "version": "1.0.0", "publish": [], "features": {}, "targets": []}]}"#;
        let workspace = Workspace::from_json(&Json::parse(text).expect("valid")).expect("the right shape");
        let [a, b] = &workspace.packages[..] else { panic!("two packages") };
        assert_eq!((a.features.as_slice(), a.examples.as_slice()), (&["x".to_owned()][..], &["tour".to_owned()][..]));
        assert!(a.published && !b.published);
    }
}
