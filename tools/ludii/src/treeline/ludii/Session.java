package treeline.ludii;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import treeline.ludii.Notation.Play;

/**
 * An engine and what it has been told so far: game, moves and limits. Starts it when needed.
 */
final class Session {
    /** Seconds for which an engine waits for the next game. */
    private static final int RETIREMENT = 60;
    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "treeline-retirement");
        thread.setDaemon(true);
        return thread;
    });

    private Engine engine;
    private String version = "";
    private String variant = "";
    private List<Play> played = new ArrayList<>();
    private String[] limits = {};
    private ScheduledFuture<?> retirement;
    private int starts;

    /** Makes the engine run and play this variant. */
    synchronized void open(Variant wanted) {
        if (retirement != null) {
            retirement.cancel(false);
            retirement = null;
        }
        if (engine == null || !engine.isAlive()) {
            start();
        }
        if (!variant.equals(wanted.command())) {
            engine.call(wanted.command());
            variant = wanted.command();
            played = new ArrayList<>();
        }
    }

    private void start() {
        close();
        Settings settings = Settings.load();
        try {
            engine = new Engine(settings.command);
        } catch (IOException missing) {
            throw new Engine.Failed(settings.help(missing.getMessage()));
        }
        starts += 1;
        try {
            version = engine.call("version");
            settings.setup.forEach(engine::call);
        } catch (Engine.Failed failure) {
            close();
            throw new Engine.Failed(settings.help(failure.getMessage()));
        } catch (Engine.Refused refusal) {
            close();
            throw refusal;
        }
    }

    /** Takes moves back and plays others until just these have been played; false if the game is over before. */
    boolean bringTo(List<Play> wanted) {
        int common = 0;
        while (common < Math.min(played.size(), wanted.size()) && played.get(common).equals(wanted.get(common))) {
            common += 1;
        }
        while (played.size() > common) {
            engine.call("undo");
            played.remove(played.size() - 1);
        }
        for (Play play : wanted.subList(common, wanted.size())) {
            try {
                engine.call("play " + play);
            } catch (Engine.Refused refusal) {
                if (engine.call("side_to_move").equals("none")) {
                    return false;
                }
                throw refusal;
            }
            played.add(play);
        }
        return true;
    }

    /** Begins at a position, for the next move only. */
    void place(String position) {
        engine.call("set_position " + position);
        variant = "";
        played = new ArrayList<>();
    }

    /** Another text for the move played last, as the notation will write it. */
    void rename(Play play) {
        played.set(played.size() - 1, play);
    }

    void limit(Limits wanted) {
        String[] commands = wanted.commands();
        for (int i = 0; i < commands.length; i++) {
            if (limits.length == 0 || !limits[i].equals(commands[i])) {
                engine.call(commands[i]);
            }
        }
        limits = commands;
    }

    String genmove(String colour, double seconds, BooleanSupplier interrupt) {
        String text = engine.call("genmove " + colour, seconds, interrupt);
        played.add(new Play(colour, text));
        return text;
    }

    void analyze(String command, BooleanSupplier until, Consumer<String> to) {
        engine.analyze(command, until, to);
    }

    String call(String command) {
        return engine.call(command);
    }

    List<String> legalMoves() {
        bringTo(Collections.emptyList());
        List<String> moves = new ArrayList<>();
        for (String move : engine.call("legal_moves").split("\\s+")) {
            moves.add(move);
        }
        return moves;
    }

    String version() {
        return version;
    }

    int starts() {
        return starts;
    }

    /** Ends the engine unless another game begins soon. */
    synchronized void retire() {
        if (engine != null && retirement == null) {
            retirement = CLOCK.schedule(this::close, RETIREMENT, TimeUnit.SECONDS);
        }
    }

    synchronized void close() {
        if (engine != null) {
            engine.close();
        }
        engine = null;
        variant = "";
        played = new ArrayList<>();
        limits = new String[0];
    }
}
