//! The settings of a process, as its operators read them.

use clap::{Arg, Command};

/// A line for each setting: its name in the environment, its default, and what it means, separated by tabs. Without a default
/// stands `required` or `none`.
#[must_use]
pub fn list(command: &Command) -> String {
    command.get_arguments().filter_map(line).collect()
}

fn line(setting: &Arg) -> Option<String> {
    let name = setting.get_env().filter(|_| !setting.is_hide_set())?.to_str()?;
    let defaults: Vec<_> = setting.get_default_values().iter().filter_map(|value| value.to_str()).collect();
    let default = match (defaults.is_empty(), setting.is_required_set(), setting.get_action().takes_values()) {
        (false, ..) => defaults.join(","),
        (true, true, _) => "required".to_owned(),
        (true, false, true) => "none".to_owned(),
        (true, false, false) => "false".to_owned(),
    };
    let meaning = setting.get_long_help().or(setting.get_help()).map(ToString::to_string).unwrap_or_default();
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{name}\t{default}\t{meaning}\n"))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::list;

    #[derive(Parser)]
    struct Settings {
        /// Where it is served.
        #[arg(long, env, default_value_t = 80)]
        port: u16,
        /// The key.
        #[arg(long, env)]
        key: String,
        /// Another one,
        /// if there is one.
        #[arg(long, env)]
        other: Option<String>,
        /// Whether.
        #[arg(long, env)]
        whether: bool,
        /// Only on the command line.
        #[arg(long)]
        flag: bool,
        /// For tests.
        #[arg(long, env, hide = true)]
        hidden: bool,
    }

    #[test]
    fn a_line_says_name_default_and_meaning() {
        let lines = "PORT\t80\tWhere it is served\nKEY\trequired\tThe key\nOTHER\tnone\tAnother one, if there is one\n\
                     WHETHER\tfalse\tWhether\n";
        assert_eq!(list(&Settings::command()), lines);
    }
}
