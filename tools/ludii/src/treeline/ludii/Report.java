package treeline.ludii;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.json.JSONArray;
import org.json.JSONObject;

/** What the engine says about a search, for people. */
final class Report {
    /** One move of an analysis. */
    static final class Line {
        final String move;
        final float visits;
        /** For the side to move, from -1 to 1. */
        final float value;

        Line(String move, float visits, float value) {
            this.move = move;
            this.visits = visits;
            this.value = value;
        }
    }

    private Report() {
    }

    /** One line from `search_stats`. */
    static String line(String version, String move, JSONObject stats) {
        StringBuilder text = new StringBuilder("Treeline " + version + " (" + stats.optString("searcher") + "): " + move);
        if (!stats.isNull("value")) {
            text.append(String.format(Locale.ROOT, ", value %+.3f", stats.getDouble("value")));
        }
        if (!stats.isNull("proven")) {
            text.append(", proven ").append(stats.getString("proven"));
        }
        text.append(String.format(Locale.ROOT, ", depth %d, %d nodes in %.2f s, %d visits reused",
            stats.optLong("depth"), stats.optLong("nodes"), stats.optDouble("seconds"), stats.optLong("reused_nodes")));
        JSONArray pv = stats.optJSONArray("pv");
        if (pv != null && pv.length() > 0) {
            text.append("; expects");
            for (int i = 0; i < pv.length(); i++) {
                text.append(' ').append(pv.getString(i));
            }
        }
        return text.toString();
    }

    /** The groups of a line `info move M visits N winrate W order I pv … info move …`. */
    static List<Line> lines(String analysis) {
        List<Line> lines = new ArrayList<>();
        for (String group : analysis.split("(^| )info move ")) {
            String[] words = group.split(" ");
            if (words.length >= 5 && words[1].equals("visits") && words[3].equals("winrate")) {
                float winrate = Float.parseFloat(words[4]);
                lines.add(new Line(words[0], Float.parseFloat(words[2]), winrate / 5000 - 1));
            }
        }
        return lines;
    }
}
