package treeline.ludii;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/**
 * Which engine to start and how, from system properties, the environment and the file treeline.properties beside the
 * JAR, in this order.
 */
final class Settings {
    static final String FILE = "treeline.properties";

    /** The command line that starts the engine. */
    final List<String> command;
    /** GTP commands to send after the start: the searcher and options. */
    final List<String> setup;
    private final File directory;

    private Settings(List<String> command, List<String> setup, File directory) {
        this.command = command;
        this.setup = setup;
        this.directory = directory;
    }

    static Settings load() {
        File directory = directory();
        Properties file = read(directory);
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("treeline.")) {
                file.setProperty(name.substring("treeline.".length()), System.getProperty(name));
            }
        }
        String command = System.getProperty("treeline.command", System.getenv("TREELINE"));
        if (command == null || command.trim().isEmpty()) {
            command = file.getProperty("command", beside(directory));
        }
        List<String> setup = new ArrayList<>();
        if (file.getProperty("searcher") != null) {
            setup.add("set_searcher " + file.getProperty("searcher").trim());
        }
        for (String name : new TreeSet<>(file.stringPropertyNames())) {
            if (!name.equals("command") && !name.equals("searcher")) {
                setup.add("set_option " + name + " " + file.getProperty(name).trim());
            }
        }
        return new Settings(words(command.trim()), setup, directory);
    }

    /** What to tell someone whose engine does not start. */
    String help(String reason) {
        return "cannot start the engine '" + String.join(" ", command) + "' (" + reason + "). Say where it is: "
            + "TREELINE=/path/to/treeline in the environment, or the line command=/path/to/treeline in "
            + new File(directory, FILE);
    }

    /** A path may contain blanks; else words after the first are arguments. */
    private static List<String> words(String command) {
        return new File(command).isFile() ? Arrays.asList(command) : Arrays.asList(command.split("\\s+"));
    }

    private static String beside(File directory) {
        for (String name : new String[] {"treeline", "treeline.exe"}) {
            File file = new File(directory, name);
            if (file.isFile() && file.canExecute()) {
                return file.getPath();
            }
        }
        return "treeline";
    }

    private static Properties read(File directory) {
        Properties properties = new Properties();
        File file = new File(directory, FILE);
        if (file.isFile()) {
            try (InputStream in = new FileInputStream(file)) {
                properties.load(in);
            } catch (IOException unreadable) {
                System.err.println("Treeline: cannot read " + file + ": " + unreadable.getMessage());
            }
        }
        return properties;
    }

    /** Where the JAR lies. Ludii names it as jar:file:/path/x.jar!/. */
    private static File directory() {
        try {
            URL place = Settings.class.getProtectionDomain().getCodeSource().getLocation();
            String path = place.toString().replaceFirst("^jar:", "").replaceFirst("!/$", "").replaceFirst("^file:", "");
            File parent = new File(java.net.URLDecoder.decode(path.replace("+", "%2B"), "UTF-8")).getParentFile();
            return parent == null ? new File(".") : parent;
        } catch (IOException | RuntimeException unknown) {
            return new File(".");
        }
    }
}
