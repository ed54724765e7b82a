import java.io.File;
import java.io.PrintStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** An HDFS of one name node and one data node on free ports of loopback, until its standard input ends. */
public final class MiniHdfs {
  public static void main(String[] args) throws Exception {
    // Hadoop logs to standard output, too.
    PrintStream told = System.out;
    System.setOut(System.err);
    Configuration settings = new Configuration();
    settings.set("dfs.replication", "1");
    // Whoever asks is believed to be who they say they are; nobody else reaches these ports.
    settings.set("dfs.permissions.enabled", "false");
    try (MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(settings, new File(args[0])).numDataNodes(1).build()) {
      cluster.waitActive();
      told.println("namenode 127.0.0.1:" + cluster.getNameNodePort());
      told.flush();
      while (System.in.read() != -1) {}
    }
  }
}
