package treeline.ludii.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The frames of GTP for an engine: reads commands, writes replies. Knows no game. */
final class Server {
    /** What a command does with its arguments; the text is the reply. */
    interface Handler {
        String handle(List<String> arguments) throws Exception;
    }

    /** A failure reply. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    private static final String END = new String("end of input");

    private final Map<String, Handler> commands = new TreeMap<>();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Runnable interrupt;

    /** `interrupt` is run when the line `# interrupt` arrives. */
    Server(Runnable interrupt) {
        this.interrupt = interrupt;
        on("protocol_version", arguments -> "2");
        on("list_commands", arguments -> String.join("\n", commands.keySet()));
        on("known_command", arguments -> Boolean.toString(commands.containsKey(word(arguments, 0, "a command"))));
    }

    void on(String name, Handler handler) {
        commands.put(name, handler);
    }

    static String word(List<String> arguments, int i, String what) throws Failure {
        if (i >= arguments.size()) {
            throw new Failure("syntax error: expected " + what);
        }
        return arguments.get(i);
    }

    static double number(List<String> arguments, int i, String what) throws Failure {
        String word = word(arguments, i, what);
        try {
            double number = Double.parseDouble(word);
            if (number >= 0 && !Double.isInfinite(number)) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Said below.
        }
        throw new Failure("syntax error: expected " + what + ", found '" + word + "'");
    }

    /** Serves until `quit` or the end of input. */
    void serve(InputStream in, PrintStream out) {
        Thread reader = new Thread(() -> read(in), "gtp-input");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            String line;
            try {
                line = lines.take();
            } catch (InterruptedException stop) {
                return;
            }
            if (line == END) {
                return;
            }
            if (!answer(line, out)) {
                return;
            }
        }
    }

    private void read(InputStream in) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.trim().equals("# interrupt")) {
                    interrupt.run();
                } else {
                    lines.add(line);
                }
            }
        } catch (IOException closed) {
            // The end of input.
        }
        lines.add(END);
    }

    /** False after `quit`. */
    private boolean answer(String line, PrintStream out) {
        String clean = line.replaceAll("#.*", "").replace('\t', ' ').replaceAll("\\p{Cntrl}", "").trim();
        if (clean.isEmpty()) {
            return true;
        }
        List<String> words = new ArrayList<>(Arrays.asList(clean.split(" +")));
        String id = words.get(0).matches("\\d+") ? words.remove(0) : "";
        String name = words.isEmpty() ? "" : words.remove(0);
        String status = "=";
        String text = "";
        if (!name.equals("quit")) {
            try {
                Handler handler = commands.get(name);
                if (handler == null) {
                    throw new Failure("unknown command");
                }
                text = handler.handle(words);
            } catch (Exception failure) {
                status = "?";
                text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
                if (failure instanceof RuntimeException) {
                    failure.printStackTrace();
                }
            }
        }
        out.print(status + id + " " + text.replaceAll("\\r", "").replaceAll("\\n\\s*\\n", "\n") + "\n\n");
        out.flush();
        return !name.equals("quit") && !out.checkError();
    }
}
