//! What the help of every command of a program must show.

use clap::Command;

/// A command that does something: one without commands under it.
pub struct Leaf {
    /// Its words, without the program's name.
    pub name: String,
    command: Command,
}

/// The visible commands of a program that do something.
pub fn leaves(mut program: Command) -> Vec<Leaf> {
    program.build();
    let mut found = Vec::new();
    gather(&program, "", &mut found);
    found
}

fn gather(command: &Command, above: &str, found: &mut Vec<Leaf>) {
    for below in command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
        let name = format!("{above} {}", below.get_name()).trim_start().to_owned();
        if below.has_subcommands() {
            gather(below, &name, found);
        } else {
            found.push(Leaf { name, command: below.clone() });
        }
    }
}

impl Leaf {
    /// How many columns a help may take.
    pub const WIDTH: usize = 110;

    /// Fails unless the help ends in examples, each of which names the command.
    pub fn assert_has_examples(&self) {
        let after = self.after_help();
        let heading = ["Example:\n", "Examples:\n"].into_iter().find_map(|heading| after.split_once(heading));
        let examples = heading.map_or("", |(_, examples)| examples);
        let words: Vec<&str> = self.name.split(' ').collect();
        let named = words.iter().all(|word| examples.contains(word));
        assert!(named, "the help of {} has no example that names it: {after:?}", self.name);
    }

    /// Fails if a line of the help is longer than that; a line that was broken by hand must not be broken again. Clap breaks
    /// no usage line, and the terminal does where it must.
    pub fn assert_fits(&self, width: usize) {
        let help = self.command.clone().term_width(width).render_long_help().to_string();
        let lines = help.lines().filter(|line| !line.starts_with("Usage: "));
        for line in lines.chain(self.after_help().lines()) {
            let columns = line.chars().count();
            assert!(columns <= width, "{columns} columns in the help of {}: {line}", self.name);
        }
    }

    /// Fails unless there is `--json`, or a reason why there is not; a reason without need fails too.
    pub fn assert_speaks_json(&self, without: &[(&str, &str)]) {
        let speaks = self.command.get_arguments().any(|arg| arg.get_long() == Some("json"));
        let excused = without.iter().any(|(name, reason)| *name == self.name && !reason.is_empty());
        assert!(speaks != excused, "{}: --json is {speaks}, excused is {excused}", self.name);
    }

    fn after_help(&self) -> String {
        self.command.get_after_help().map_or_else(String::new, ToString::to_string)
    }
}
