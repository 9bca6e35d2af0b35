package treeline.ludii;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One running engine and its GTP dialogue, a command at a time. Knows no game and nothing of Ludii.
 */
final class Engine implements Closeable {
    /** The engine is gone, hangs or answers what is no GTP. Starting it anew may help. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    /** The engine answered with a failure. Starting it anew does not help. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    private static final String END = new String("end of output");
    private static final int STDERR_LINES = 10;
    private static final long POLL_MILLIS = 20;
    private static final double SECONDS_AFTER_INTERRUPT = 15;

    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Deque<String> complaints = new ArrayDeque<>();
    private int id;

    Engine(List<String> command) throws IOException {
        process = new ProcessBuilder(command).start();
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        read("output", process.getInputStream(), lines::add, () -> lines.add(END));
        read("stderr", process.getErrorStream(), this::complain, () -> { });
    }

    private static void read(String name, InputStream from, Consumer<String> to, Runnable atEnd) {
        Thread thread = new Thread(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    to.accept(line);
                }
            } catch (IOException ended) {
                // A closed pipe is the end of output.
            }
            atEnd.run();
        }, "treeline-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void complain(String line) {
        synchronized (complaints) {
            complaints.add(line);
            if (complaints.size() > STDERR_LINES) {
                complaints.remove();
            }
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** A short command; the text of its answer. */
    String call(String command) {
        return call(command, 30, () -> false);
    }

    /**
     * @param seconds when to give up; without end if negative
     * @param interrupt polled; once true the engine is asked to answer with what it has
     */
    String call(String command, double seconds, BooleanSupplier interrupt) {
        send(command);
        return receive(command, seconds, interrupt);
    }

    /** Runs an analysis until `until` says so and passes on its lines. */
    void analyze(String command, BooleanSupplier until, Consumer<String> to) {
        send(command);
        while (!until.getAsBoolean()) {
            String line = next(POLL_MILLIS);
            if (line != null && line.startsWith("info ")) {
                to.accept(line);
            } else if (line != null && line.startsWith("?")) {
                throw new Refused(command + ": " + line.replaceFirst("^\\?\\d* *", ""));
            }
        }
        // The rest of the reply, whose first line may be read already, ends with an empty line.
        write("# interrupt\n");
        while (!"".equals(required(command, System.nanoTime() + (long) (SECONDS_AFTER_INTERRUPT * 1e9)))) {
            continue;
        }
    }

    private void send(String command) {
        id += 1;
        write(id + " " + command + "\n");
    }

    private void write(String text) {
        try {
            input.write(text);
            input.flush();
        } catch (IOException closed) {
            throw new Failed("the engine has gone" + lastWords());
        }
    }

    private String receive(String command, double seconds, BooleanSupplier interrupt) {
        long deadline = seconds < 0 ? Long.MAX_VALUE : System.nanoTime() + (long) (seconds * 1e9);
        boolean interrupted = false;
        List<String> reply = new ArrayList<>();
        while (true) {
            if (!interrupted && interrupt.getAsBoolean()) {
                interrupted = true;
                deadline = System.nanoTime() + (long) (SECONDS_AFTER_INTERRUPT * 1e9);
                write("# interrupt\n");
            }
            String line = next(POLL_MILLIS);
            if (line == null) {
                if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline > 0) {
                    throw new Failed("no answer to '" + command + "' in time");
                }
            } else if (!line.isEmpty()) {
                reply.add(line);
            } else if (!reply.isEmpty()) {
                return text(command, reply);
            }
        }
    }

    private String text(String command, List<String> reply) {
        String first = reply.get(0);
        int digits = 1;
        while (digits < first.length() && Character.isDigit(first.charAt(digits))) {
            digits += 1;
        }
        boolean known = first.startsWith("=") || first.startsWith("?");
        if (!known || !first.substring(1, digits).equals(Integer.toString(id))) {
            throw new Failed("'" + first + "' is no answer to '" + command + "'");
        }
        reply.set(0, first.substring(digits).trim());
        String text = String.join("\n", reply);
        if (first.startsWith("?")) {
            throw new Refused(command + ": " + text);
        }
        return text;
    }

    /** The next line, or null after some milliseconds. */
    private String next(long millis) {
        try {
            String line = lines.poll(millis, TimeUnit.MILLISECONDS);
            if (line == END) {
                lines.add(END);
                throw new Failed("the engine ended" + lastWords());
            }
            return line;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted while waiting for the engine");
        }
    }

    private String required(String command, long deadline) {
        String line = next(POLL_MILLIS);
        while (line == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new Failed("no end of '" + command + "' in time");
            }
            line = next(POLL_MILLIS);
        }
        return line;
    }

    private String lastWords() {
        try {
            // What it wrote last may still be on its way.
            process.waitFor(200, TimeUnit.MILLISECONDS);
            Thread.sleep(20);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        String status = process.isAlive() ? "" : " (exit status " + process.exitValue() + ")";
        synchronized (complaints) {
            return complaints.isEmpty() ? status : status + ": " + String.join("; ", complaints);
        }
    }

    /** Ends the process: politely, then by force. */
    @Override
    public void close() {
        try {
            input.write("quit\n");
            input.close();
            if (process.waitFor(500, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (IOException gone) {
            // It has ended by itself.
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
