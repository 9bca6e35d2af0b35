package treeline.ludii.tools;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import main.Constants;
import treeline.ludii.LudiiGame;
import treeline.ludii.tools.Server.Failure;
import other.AI;

/** One of Ludii's agents as a GTP engine on stdin and stdout, in Treeline's notation. */
public final class Bridge {
    private static final String USAGE = "usage: bridge AGENT [--seconds S] [--iterations N] [--depth N] "
        + "[--game \"NAME key=value …\"]\nAGENT is a name as Ludii's menu has it, such as Alpha-Beta, UCT or "
        + "\"Ludii AI\", a line algorithm=…;…, or class=NAME with the class of another agent";

    private static final double WARM_UP = 0.3;

    private final String agent;
    private final Clock clock;
    private int iterations = -1;
    private int depth = -1;
    private String name = "breakthrough";
    private Map<String, String> keys = new HashMap<>();
    private LudiiGame game;
    /** Why the first game was refused; nothing else is played in its place. */
    private String refusal = "";
    /** The game of the last search before time counted. */
    private String warm = "";
    /** By seat; made when first asked for a move. */
    private final AI[] players = new AI[3];
    private volatile AI thinking;

    private Bridge(String agent, double seconds) {
        this.agent = agent;
        clock = new Clock(seconds);
    }

    public static void main(String[] arguments) throws Exception {
        // Ludii writes where it likes; only replies may reach the real output.
        PrintStream out = System.out;
        System.setOut(System.err);
        if (arguments.length == 0 || arguments[0].startsWith("-")) {
            System.err.println(USAGE);
            System.exit(2);
        }
        Bridge bridge = new Bridge(arguments[0], 1);
        try {
            Agents.create(arguments[0]);
            bridge.options(arguments);
        } catch (Exception failure) {
            // The last line is what a referee shows.
            System.err.println(USAGE + "\nbridge: " + failure.getMessage());
            System.exit(2);
        }
        bridge.server().serve(System.in, out);
        System.exit(0);
    }

    private void options(String[] arguments) throws Exception {
        List<String> words = Arrays.asList(arguments);
        for (int i = 1; i < words.size(); i += 2) {
            switch (words.get(i)) {
                case "--seconds":
                case "--iterations":
                case "--depth":
                    option(words.get(i).substring(2), Server.word(words, i + 1, "a number"));
                    break;
                case "--game":
                    setGame(Arrays.asList(Server.word(words, i + 1, "a game").split(" +")));
                    break;
                default:
                    throw new Failure("unknown option " + words.get(i));
            }
        }
    }

    private Server server() {
        Server server = new Server(() -> {
            AI ai = thinking;
            if (ai != null) {
                ai.setWantsInterrupt(true);
            }
        });
        server.on("name", a -> "Ludii " + agent);
        server.on("version", a -> Constants.LUDEME_VERSION);
        server.on("set_game", a -> setGame(a));
        server.on("boardsize", a -> boardsize(a));
        server.on("clear_board", a -> clear());
        server.on("komi", a -> "");
        server.on("play", a -> play(a));
        server.on("undo", a -> undo());
        server.on("genmove", a -> genmove(a));
        server.on("legal_moves", a -> String.join(" ", game().legalMoves()));
        server.on("side_to_move", a -> game().sideToMove());
        server.on("game_result", a -> game().result());
        server.on("showboard", a -> "\n" + game().board());
        server.on("time_settings", a -> {
            clock.settings(a);
            return "";
        });
        server.on("time_left", a -> {
            clock.left(seat(a), a);
            return "";
        });
        server.on("set_option", a -> option(Server.word(a, 0, "seconds, iterations or depth"),
            Server.word(a, 1, "a number or off")));
        return server;
    }

    private String option(String option, String value) throws Exception {
        double number = value.equals("off") ? -1 : Server.number(Arrays.asList(value), 0, "a number or off");
        switch (option) {
            case "seconds":
                clock.perMove(number);
                break;
            case "iterations":
            case "simulations":
                iterations = (int) number;
                break;
            case "depth":
                depth = (int) number;
                break;
            default:
                throw new Failure("no option is called '" + option + "'; there are seconds, iterations and depth");
        }
        return "";
    }

    private String setGame(List<String> arguments) throws Exception {
        Map<String, String> wanted = new HashMap<>();
        for (String argument : arguments.subList(Math.min(1, arguments.size()), arguments.size())) {
            int equals = argument.indexOf('=');
            if (equals < 1) {
                throw new Failure("syntax error: expected key=value, found '" + argument + "'");
            }
            wanted.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        try {
            open(Server.word(arguments, 0, "a game"), wanted);
        } catch (Exception failure) {
            refusal = String.valueOf(failure.getMessage());
            throw failure;
        }
        return "";
    }

    private String boardsize(List<String> arguments) throws Exception {
        String width = Server.word(arguments, 0, "a board size");
        String height = arguments.size() > 1 ? arguments.get(1) : width;
        Map<String, String> wanted = new HashMap<>(keys);
        if (name.equals("connect-four")) {
            wanted.put("width", width);
            wanted.put("height", arguments.size() > 1 ? height : "6");
        } else if (name.equals("kalah")) {
            throw new Failure("kalah has no columns and rows");
        } else {
            wanted.put("size", width.equals(height) ? width : width + "x" + height);
        }
        open(name, wanted);
        return "";
    }

    private void open(String wantedName, Map<String, String> wanted) throws Exception {
        game = LudiiGame.open(wantedName, wanted);
        keys = wanted;
        forgetPlayers();
        if (!wantedName.equals(warm)) {
            warm = wantedName;
            warmUp();
        }
        name = wantedName;
    }

    /** Java loads and compiles what it needs for a first search, which would come late. */
    private void warmUp() throws Exception {
        AI ai = Agents.create(agent);
        if (ai.supportsGame(game.game())) {
            ai.initAI(game.game(), 1);
            game.genmove(ai, WARM_UP, iterations, depth);
            game.undo();
            ai.closeAI();
        }
    }

    private LudiiGame game() throws Exception {
        if (game == null) {
            if (!refusal.isEmpty()) {
                throw new Failure("there is no game, since set_game was refused: " + refusal);
            }
            open(name, keys);
        }
        return game;
    }

    private void forgetPlayers() {
        for (int seat = 1; seat <= 2; seat++) {
            if (players[seat] != null) {
                players[seat].closeAI();
                players[seat] = null;
            }
        }
    }

    private String clear() throws Exception {
        game().clear();
        forgetPlayers();
        return "";
    }

    private String play(List<String> arguments) throws Exception {
        game().play(colour(arguments), Server.word(arguments, 1, "a move"));
        return "";
    }

    private String undo() throws Exception {
        if (!game().undo()) {
            throw new Failure("cannot undo: no move was played");
        }
        // Their trees belong to the line that was taken back.
        forgetPlayers();
        return "";
    }

    private String genmove(List<String> arguments) throws Exception {
        String colour = colour(arguments);
        game().expect(colour);
        int seat = seat(arguments);
        if (players[seat] == null) {
            players[seat] = Agents.create(agent);
            if (!players[seat].supportsGame(game.game())) {
                players[seat] = null;
                throw new Failure("Ludii's " + agent + " does not support " + name);
            }
            players[seat].initAI(game.game(), seat);
        }
        AI ai = players[seat];
        long begin = System.nanoTime();
        thinking = ai;
        try {
            return game.genmove(ai, clock.budget(seat), iterations, depth);
        } finally {
            thinking = null;
            ai.setWantsInterrupt(false);
            clock.spent(seat, (System.nanoTime() - begin) / 1e9);
        }
    }

    private static String colour(List<String> arguments) throws Failure {
        String word = Server.word(arguments, 0, "a colour");
        switch (word.toLowerCase(java.util.Locale.ROOT)) {
            case "b":
            case "black":
            case "p1":
                return "b";
            case "w":
            case "white":
            case "p2":
                return "w";
            default:
                throw new Failure("syntax error: expected a colour, found '" + word + "'");
        }
    }

    private static int seat(List<String> arguments) throws Failure {
        return colour(arguments).equals("b") ? 1 : 2;
    }
}
