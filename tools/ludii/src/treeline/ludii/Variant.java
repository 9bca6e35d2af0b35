package treeline.ludii;

import game.Game;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import other.GameLoader;

/**
 * Which game and variant of the engine plays by the same rules as a game of Ludii, and the other way round.
 */
final class Variant {
    /** There is no counterpart; the message is a sentence for the user. */
    static final class Unsupported extends Exception {
        private static final long serialVersionUID = 1L;

        Unsupported(String message) {
            super(message);
        }
    }

    /** The engine's name of the game. */
    final String game;
    /** Rows and columns; houses in Kalah. */
    final int size;
    /** The engine's keys of the variant. */
    private final String keys;

    private Variant(String game, int size, String keys) {
        this.game = game;
        this.size = size;
        this.keys = keys;
    }

    /** The command that selects it. */
    String command() {
        return ("set_game " + game + " " + keys).trim();
    }

    // ---- from Ludii ----

    static Variant of(Game game) throws Unsupported {
        int sites = game.board().numSites();
        int root = (int) Math.round(Math.sqrt(sites));
        Map<String, String> options = options(game);
        Variant variant;
        switch (game.name()) {
            case "Breakthrough":
                only(options, "Board", "Square");
                options.remove("Board Size");
                variant = new Variant("breakthrough", among(root, 4, 11), "size=" + root + "x" + root);
                break;
            case "Lines of Action":
                variant = linesOfAction(game, options.remove("End rules"));
                break;
            case "Hex":
                only(options, "End Rules", "Standard");
                options.remove("Swap Rules");
                options.remove("Board Size");
                String swap = game.metaRules().usesSwapRule() ? "on" : "off";
                variant = new Variant("hex", among(root, 3, 19), "size=" + root + " swap=" + swap);
                break;
            case "Reversi":
                only(options, "Start Rules", "Fixed Start");
                options.remove("Board Size");
                if (root % 2 != 0) {
                    throw new Unsupported("Treeline plays Reversi on boards of 6, 8 or 10 rows, not " + root);
                }
                variant = new Variant("othello", among(root, 6, 10), "size=" + root);
                break;
            case "International Draughts":
                // Ludii knows none of the rules that draw a game; see BlockWin in its description.
                variant = new Variant("draughts", 10, "draw-rules=off " + length(game));
                break;
            case "Kalah":
                variant = new Variant("kalah", (sites - 2) / 2, "houses=" + (sites - 2) / 2 + " seeds=4");
                break;
            case "Connect Four":
                options.remove("Modelisation");
                variant = new Variant("connect-four", 7, "");
                break;
            default:
                throw new Unsupported("Treeline does not play " + game.name());
        }
        if (!options.isEmpty()) {
            throw new Unsupported("Treeline does not know these options of " + game.name() + ": " + options);
        }
        return variant;
    }

    private static Variant linesOfAction(Game game, String end) throws Unsupported {
        String both = "draw";
        if (end != null && end.endsWith("Mover Win")) {
            both = "mover";
        } else if (end != null && !end.endsWith("Draw")) {
            throw new Unsupported("Treeline does not know the option End rules/" + end);
        }
        String keys = "both-connected=" + both + " repetition=off " + length(game);
        return new Variant("lines-of-action", 8, keys);
    }

    private static int among(int size, int least, int most) throws Unsupported {
        if (size < least || size > most) {
            String range = least + " to " + most;
            throw new Unsupported("Treeline plays this game on boards of " + range + " rows, not " + size);
        }
        return size;
    }

    /** What the user chose, by category. */
    private static Map<String, String> options(Game game) {
        Map<String, String> options = new HashMap<>();
        for (String option : game.getOptions()) {
            int slash = option.indexOf('/');
            options.put(option.substring(0, Math.max(slash, 0)), option.substring(slash + 1));
        }
        return options;
    }

    private static void only(Map<String, String> options, String category, String value) throws Unsupported {
        String chosen = options.remove(category);
        if (chosen != null && !chosen.equals(value)) {
            throw new Unsupported("Treeline does not play the option " + category + "/" + chosen);
        }
    }

    /** Ludii draws every game that lasts too long. */
    private static String length(Game game) {
        long plies = Math.min((long) game.getMaxTurnLimit() * game.players().count(), game.getMaxMoveLimit());
        return "length=" + (plies >= 1 && plies <= 10000 ? Long.toString(plies) : "off");
    }

    // ---- to Ludii ----

    /** Loads the game that `set_game` names with keys as the engine takes them; rules on draws are the referee's. */
    static Game open(String name, Map<String, String> given) throws Unsupported {
        Map<String, String> keys = new HashMap<>(given);
        List<String> options = new ArrayList<>();
        String file;
        switch (name) {
            case "breakthrough":
                int rows = square(keys.remove("size"), 8, 4, 12);
                file = "Breakthrough.lud";
                options.add("Board Size/" + rows + "x" + rows);
                break;
            case "lines-of-action":
                file = "Lines of Action.lud";
                fixed(keys, "size", "8");
                boolean mover = "mover".equals(keys.remove("both-connected"));
                options.add("End rules/Simultaneous Group = " + (mover ? "Mover Win" : "Draw"));
                break;
            case "hex":
                rows = square(keys.remove("size"), 11, 3, 19);
                file = "Hex.lud";
                options.add("Board Size/" + rows + "x" + rows);
                options.add("Swap Rules/" + ("on".equals(keys.remove("swap")) ? "On" : "Off"));
                break;
            case "othello":
                rows = square(keys.remove("size"), 8, 6, 10);
                file = "Reversi.lud";
                options.add("Board Size/" + rows + "x" + rows);
                keys.remove("empties-to-winner");
                break;
            case "draughts":
                file = "International Draughts.lud";
                fixed(keys, "size", "10");
                break;
            case "kalah":
                file = "Kalah.lud";
                fixed(keys, "houses", "6");
                fixed(keys, "seeds", "4");
                fixed(keys, "empty-capture", "off");
                break;
            case "connect-four":
                file = "Connect Four.lud";
                fixed(keys, "width", "7");
                fixed(keys, "height", "6");
                fixed(keys, "line", "4");
                break;
            default:
                throw new Unsupported("no game is called '" + name + "' here; there are " + String.join(", ", GAMES));
        }
        return load(name, file, options, keys);
    }

    static final List<String> GAMES = Arrays.asList("breakthrough", "connect-four", "draughts", "hex", "kalah",
        "lines-of-action", "othello");
    private static final List<String> DRAW_RULES = Arrays.asList("draw-rules", "no-progress", "progress", "repetition",
        "endgame-16", "endgame-5");
    /** The engine's own limits. */
    private static final Map<String, String> LENGTHS = new HashMap<>();

    static {
        LENGTHS.put("draughts", "300");
        LENGTHS.put("lines-of-action", "400");
    }

    private static Game load(String name, String file, List<String> options, Map<String, String> keys)
        throws Unsupported {
        String length = keys.remove("length");
        if (name.equals("draughts") || name.equals("lines-of-action")) {
            keys.keySet().removeAll(DRAW_RULES);
        }
        if (!keys.isEmpty() || length != null && !LENGTHS.containsKey(name)) {
            throw new Unsupported("Ludii's " + name + " does not have the options "
                + (keys.isEmpty() ? "length" : String.join(", ", keys.keySet())));
        }
        Game game = GameLoader.loadGameFromName(file, options);
        length = length == null ? LENGTHS.get(name) : length;
        if (length != null && !length.equals("off")) {
            game.setMaxTurns((number(length) + 1) / 2);
        }
        return game;
    }

    private static void fixed(Map<String, String> keys, String key, String value) throws Unsupported {
        String given = keys.remove(key);
        if (given != null && !given.equals(value)) {
            throw new Unsupported("Ludii plays this game with " + key + "=" + value + " only, not " + given);
        }
    }

    private static int square(String size, int usual, int least, int most) throws Unsupported {
        if (size == null) {
            return usual;
        }
        String[] sides = size.split("x");
        int side = number(sides[0]);
        if (sides.length > 2 || sides.length == 2 && number(sides[1]) != side || side < least || side > most) {
            throw new Unsupported("Ludii plays this game on square boards of " + least + " to " + most + " rows, not "
                + size);
        }
        return side;
    }

    private static int number(String text) throws Unsupported {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException none) {
            throw new Unsupported("expected a number, found '" + text + "'");
        }
    }
}
